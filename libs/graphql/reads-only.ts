import { Extensions } from '@nestjs/graphql';
import { isObjectType, type DocumentNode, type GraphQLSchema, type OperationDefinitionNode } from 'graphql';
import { selectionMeasure } from './selections.js';

/**
 * Declares that the result of a query, with everything below it, depends only on its arguments and one read model, so that it may be
 * cached while that does not change. A field below it that reads another read model declares that one; results with it are not cached.
 * @param readModel the name of the read model
 */
export function ReadsOnly(readModel: string): MethodDecorator {
  return Extensions({ readModel });
}

/** Returns the one read model that an operation reads; undefined if it reads several, or a query declares none. */
export function readModelOf(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): string | undefined {
  const readModels = readModelsByField(schema);
  const measure = selectionMeasure<ReadModelNames>(document, {
    nothing: new Set(),
    combine: (left, right) => new Set([...left, ...right]),
    ofField: ({ name }, below) => new Set([...(readModels.get(name.value) ?? []), ...below()]),
  });
  const [first, ...others] = measure(operation.selectionSet);
  return others.length === 0 ? first : undefined;
}

/** With undefined for a query that declares none. */
type ReadModelNames = ReadonlySet<string | undefined>;

/** The declared read models by field name, of whatever type, since documents are measured without types. */
function readModelsByField(schema: GraphQLSchema): ReadonlyMap<string, ReadModelNames> {
  const found = new Map<string, Set<string | undefined>>(['__schema', '__type'].map((name) => [name, new Set([undefined])]));
  for (const type of Object.values(schema.getTypeMap()).filter(isObjectType)) {
    for (const { name, extensions } of Object.values(type.getFields())) {
      const readModel = extensions['readModel'] as string | undefined;
      if (readModel === undefined && type !== schema.getQueryType()) continue;
      found.set(name, (found.get(name) ?? new Set()).add(readModel));
    }
  }
  return found;
}
