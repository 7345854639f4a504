import type { ApolloServerPlugin } from '@apollo/server';
import { keyIdOf, traceMembersOf } from '#libs/api-kit';
import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { formatError, rootCause } from './format-error.js';

/** Logs what is the service's fault, never a query or its variables. */
export function failureLogPlugin(logger: Logger): ApolloServerPlugin<{ readonly req?: FastifyRequest }> {
  return {
    requestDidStart: async ({ contextValue }) => ({
      didEncounterErrors: async ({ errors }) => {
        for (const error of errors) {
          if (formatError(error, { hideSuggestions: true }).extensions?.['code'] !== 'internal_error') continue;
          const { req } = contextValue;
          logger.error(
            { err: rootCause(error), requestId: req?.id, keyId: keyIdOf(req), ...traceMembersOf(req?.context) },
            'GraphQL field failed',
          );
        }
      },
    }),
  };
}
