import { applyDecorators } from '@nestjs/common';
import { Extensions } from '@nestjs/graphql';
import type { DocumentNode, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import { KeptResponses, type EnhancedHandlers } from '#libs/http';
import { measureOperation } from './selection-measure.js';

interface Declaration {
  readonly readModel: string;
}

/**
 * Declares that the result of a query, with everything below it, depends only on its arguments and one read model, so that it may be
 * cached while that does not change. A field below it that reads another read model declares that one; results with it are not cached, and
 * neither are those of a query with a guard, a pipe or an interceptor.
 * @param readModel the name of the read model
 */
export function ReadsOnly(readModel: string): MethodDecorator {
  const declaration: Declaration = { readModel };
  return applyDecorators(Extensions({ readsOnly: declaration }), KeptResponses(declaration));
}

/** Returns the one read model that an operation reads; undefined if it reads several, or a query declares none. */
export function findReadModel(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  enhanced: Pick<EnhancedHandlers, 'include'>,
): string | undefined {
  const queries = schema.getQueryType();
  // With undefined for a query that declares none.
  const [first, ...others] = measureOperation<ReadonlySet<string | undefined>>(schema, document, operation, {
    join: (names) => new Set(names.flatMap((each) => [...each])),
    ofField: ({ name: { value: name } }, below, parent) => {
      const declared = parent?.getFields()[name]?.extensions['readsOnly'] as Declaration | undefined;
      const readModel = declared && !enhanced.include(declared) ? declared.readModel : undefined;
      const isUndeclared = readModel === undefined && (parent !== queries || name === '__typename');
      return isUndeclared ? below : new Set([readModel, ...below]);
    },
  });
  return others.length === 0 ? first : undefined;
}
