import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { fragmentsOf, SelectionMeasure } from '../bounds/fragments.js';
import { readModelOfField } from './reads-only.decorator.js';

const TYPE_NAME = '__typename';

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
