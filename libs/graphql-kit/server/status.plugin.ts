import type { ApolloServerPlugin } from '@apollo/server';
import { prefersPlainJson } from './media-types.js';

const UNUSABLE = 400;

/**
 * Answers a document that cannot be run with 200 where the answer is `application/json`, and with 400 where it is
 * `application/graphql-response+json` (GraphQL over HTTP, section 6.4).
 */
export const statusPlugin: ApolloServerPlugin = {
  requestDidStart: async () => ({
    willSendResponse: async ({ request, response: { http } }) => {
      if (http.status === UNUSABLE && prefersPlainJson(request.http?.headers.get('accept'))) http.status = 200;
    },
  }),
};
