import type { ApolloServerPlugin } from '@apollo/server';
import { readModelOf } from './read-model-of.js';

/** What a request learns of its result. The server copies the context itself, so it is an object in there. */
export interface ResultContext {
  readonly result: {
    /** The read model that the result was made from alone; undefined for one that has errors. */
    readModel?: string;
  };
}

/** Tells the request which read model its result may be cached for. */
export const readModelPlugin: ApolloServerPlugin<ResultContext> = {
  requestDidStart: async () => ({
    willSendResponse: async ({ schema, document, operation, contextValue, response: { body } }) => {
      if (!document || !operation || body.kind !== 'single' || body.singleResult.errors) return;
      const readModel = readModelOf(schema, document, operation);
      if (readModel !== undefined) contextValue.result.readModel = readModel;
    },
  }),
};
