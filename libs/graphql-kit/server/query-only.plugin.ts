import type { ApolloServerPlugin } from '@apollo/server';
import { refusal } from '../errors/refusal.js';

/** Refuses operations that a schema for reading has none of; one sent by GET was refused with 405 before. */
export const queryOnlyPlugin: ApolloServerPlugin = {
  requestDidStart: async () => ({
    didResolveOperation: async ({ operation }) => {
      const kind = operation?.operation ?? 'query';
      if (kind !== 'query') throw refusal(`This schema is for reading: it has no ${kind}.`);
    },
  }),
};
