import type { ApolloServerPlugin } from '@apollo/server';
import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { fragmentsOf, SelectionMeasure } from '../bounds/fragments.js';
import { readModelOfField } from './reads-only.decorator.js';

const TYPE_NAME = '__typename';

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

/** The one read model that all queries of an operation read; undefined where there are several or one is not marked. */
export function readModelOf(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): string | undefined {
  const queries = schema.getQueryType()?.getFields() ?? {};
  const measure = new SelectionMeasure<ReadonlySet<string | undefined>>(fragmentsOf(document), {
    nothing: new Set(),
    combine: (left, right) => new Set([...left, ...right]),
    ofField: ({ name: { value: name } }) => {
      const field = queries[name];
      return new Set(name === TYPE_NAME ? [] : [field && readModelOfField(field)]);
    },
  });
  const [first, ...others] = measure.of(operation.selectionSet);
  return others.length === 0 ? first : undefined;
}
