import type { ApolloServerPlugin } from '@apollo/server';
import { isObjectType, type DocumentNode, type GraphQLSchema, type OperationDefinitionNode } from 'graphql';
import { fragmentsOf, SelectionMeasure } from '../bounds/fragments.js';
import { readModelOfField } from './reads-only.decorator.js';

const INTROSPECTION = ['__schema', '__type'];

/** What a request learns of its result. The server copies the context itself, so it is an object in there. */
export interface ResultContext {
  readonly result: {
    /** The read model that the result was made from alone; undefined for one that has errors. */
    readModel?: string;
    /** What ran without an error. */
    ran?: { readonly schema: GraphQLSchema; readonly document: DocumentNode; readonly operation: OperationDefinitionNode };
  };
}

/** Tells the request what ran, and which read model its result may be cached for. */
export const readModelPlugin: ApolloServerPlugin<ResultContext> = {
  requestDidStart: async () => ({
    willSendResponse: async ({ schema, document, operation, contextValue, response: { body } }) => {
      if (!document || !operation || body.kind !== 'single' || body.singleResult.errors) return;
      contextValue.result.ran = { schema, document, operation };
      const readModel = readModelOf(schema, document, operation);
      if (readModel !== undefined) contextValue.result.readModel = readModel;
    },
  }),
};

/**
 * The one read model that an operation reads, by its queries and by the fields below them that are said to read one of their own;
 * undefined where there are several, or a query is not marked.
 */
export function readModelOf(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): string | undefined {
  const readModels = readModelsByField(schema);
  const measure = new SelectionMeasure<ReadModelNames>(fragmentsOf(document), {
    nothing: new Set(),
    combine: (left, right) => new Set([...left, ...right]),
    ofField: ({ name: { value: name } }, below) => new Set([...(readModels.get(name) ?? []), ...below()]),
  });
  const [first, ...others] = measure.of(operation.selectionSet);
  return others.length === 0 ? first : undefined;
}

type ReadModelNames = ReadonlySet<string | undefined>;

const known = new WeakMap<GraphQLSchema, ReadonlyMap<string, ReadModelNames>>();

/** By the names of fields, whatever types have them, since a document is looked at without the types. */
function readModelsByField(schema: GraphQLSchema): ReadonlyMap<string, ReadModelNames> {
  const found = known.get(schema) ?? findReadModels(schema);
  known.set(schema, found);
  return found;
}

function findReadModels(schema: GraphQLSchema): ReadonlyMap<string, ReadModelNames> {
  const found = new Map<string, Set<string | undefined>>(INTROSPECTION.map((name) => [name, new Set([undefined])]));
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType)) {
    for (const field of Object.values(type.getFields())) {
      const readModel = readModelOfField(field);
      if (readModel === undefined && type !== schema.getQueryType()) continue;
      found.set(field.name, (found.get(field.name) ?? new Set()).add(readModel));
    }
  }
  return found;
}
