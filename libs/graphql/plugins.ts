import type { ApolloServerPlugin } from '@apollo/server';
import { GraphQLError, Kind, type ASTVisitor, type DocumentNode, type ValidationContext } from 'graphql';
import type { Logger } from 'pino';
import { getKeyId, getTraceMembers } from '#libs/http';
import { coreErrors, type ErrorCode } from '#libs/observability';
import { findExcessShape } from './bounds.js';
import { formatError, rootCause } from './format-error.js';
import type { OperationContext } from './known-operations.js';
import { findExcessCost } from './operation-cost.js';
import { prefersPlainJson } from './read-graphql-request.js';

const BAD_REQUEST = 400;
const UNAVAILABLE: ErrorCode = 'service_unavailable';

/** Errors of documents that were replaced by an empty one, which stands for them until validation. */
const replaced = new WeakMap<DocumentNode, GraphQLError>();

/** The validation rule that reports the error of a document that the plugin replaced. */
export function boundsRule(context: ValidationContext): ASTVisitor {
  const error = replaced.get(context.getDocument());
  if (error) context.reportError(error);
  return {};
}

/** Returns the plugin with the rules of this schema for the requests of Apollo Server. It logs failures of the service. */
export function requestRules(logger: Logger): ApolloServerPlugin<OperationContext> {
  return {
    requestDidStart: async ({ contextValue: { req, result } }) => ({
      // A plugin cannot refuse a document before validation: that gets an empty one, and `boundsRule` reports the error.
      validationDidStart: async (context) => {
        const excess = findExcessShape(context.schema, context.document);
        if (excess === undefined) return;
        const replacement: DocumentNode = { kind: Kind.DOCUMENT, definitions: [] };
        replaced.set(replacement, invalidRequest(excess));
        Object.assign(context, { document: replacement });
      },
      didResolveOperation: async ({ schema, document, operation, request }) => {
        // The execution refuses an operation that is not there.
        const excess = operation && findExcessCost(schema, document, operation, request.variables);
        if (excess !== undefined) throw invalidRequest(excess);
        // By GET, Apollo refuses other operations with 405.
        const kind = operation?.operation ?? 'query';
        if (kind !== 'query') throw invalidRequest(`This schema is for reading: it has no ${kind}.`);
      },
      // Without the query or its variables.
      didEncounterErrors: async ({ errors }) => {
        for (const error of errors) {
          if (formatError(error, { hideSuggestions: true }).extensions?.['code'] !== 'internal_error') continue;
          const members = { requestId: req.id, keyId: getKeyId(req), ...getTraceMembers(req) };
          logger.error({ err: rootCause(error), ...members }, 'GraphQL field failed');
        }
      },
      /**
       * Sets the status: of a document that cannot be run 200 in `application/json` and 400 in `application/graphql-response+json` (GraphQL
       * over HTTP, section 6.4); 503 if the database could not be asked, so that every client and proxy tries again.
       */
      willSendResponse: async ({ schema, document, operation, request, response: { http, body } }) => {
        const errors = body.kind === 'single' ? body.singleResult.errors : undefined;
        if (document && operation && body.kind === 'single' && !errors) result.ran = { schema, document, operation };
        if (errors?.some(({ extensions }) => extensions?.['code'] === UNAVAILABLE)) {
          http.status = coreErrors[UNAVAILABLE].status;
          http.headers.set('retry-after', '1');
        }
        if (http.status === BAD_REQUEST && prefersPlainJson(request.http?.headers.get('accept'))) http.status = 200;
      },
    }),
  };
}

/** Refuses a document as a whole, before any of its fields runs. */
function invalidRequest(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'invalid_request' satisfies ErrorCode, http: { status: BAD_REQUEST } } });
}
