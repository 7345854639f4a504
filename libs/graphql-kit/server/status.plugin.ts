import type { ApolloServerPlugin, GraphQLResponse } from '@apollo/server';
import { errorTable, type ErrorCode } from '#libs/errors';
import { prefersPlainJson } from './media-types.js';

const UNUSABLE = 400;
const UNAVAILABLE: ErrorCode = 'service_unavailable';

/**
 * Answers a document that cannot be run with 200 where the answer is `application/json`, and with 400 where it is
 * `application/graphql-response+json` (GraphQL over HTTP, section 6.4). Where the database could not be asked, 503 tells every
 * client, and every proxy on the way, to come again.
 */
export const statusPlugin: ApolloServerPlugin = {
  requestDidStart: async () => ({
    willSendResponse: async ({ request, response }) => {
      const { http } = response;
      if (lacksDatabase(response)) {
        http.status = errorTable[UNAVAILABLE];
        http.headers.set('retry-after', '1');
      }
      if (http.status === UNUSABLE && prefersPlainJson(request.http?.headers.get('accept'))) http.status = 200;
    },
  }),
};

function lacksDatabase({ body }: GraphQLResponse): boolean {
  const errors = body.kind === 'single' ? body.singleResult.errors : undefined;
  return errors?.some(({ extensions }) => extensions?.['code'] === UNAVAILABLE) ?? false;
}
