import type { ApolloServerPlugin, BaseContext, GraphQLRequestContext } from '@apollo/server';
import {
  type ASTVisitor,
  getVariableValues,
  type GraphQLArgument,
  GraphQLError,
  isObjectType,
  Kind,
  type DocumentNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type ValidationContext,
} from 'graphql';
import { LARGEST_LIMIT } from '#libs/api-kit';
import type { ErrorCode } from '#libs/errors';
import { BOUNDS } from './bounds.js';
import { excessOf } from './document-shape.js';
import { costOf } from './operation-cost.js';

const BAD_REQUEST = 400;

const refusals = new WeakMap<DocumentNode, GraphQLError>();

/** Bounds documents: depth and aliases before they are validated, cost before a field runs. */
export const boundsPlugin: ApolloServerPlugin = {
  requestDidStart: async () => ({
    validationDidStart: async (context) => replaceWhenTooLarge(context),
    didResolveOperation: async ({ schema, document, operation, request }) => {
      // An operation that is not there is refused by the execution.
      const excess = operation && excessOfCost(schema, document, operation, request.variables);
      if (excess !== undefined) throw refusal(excess);
    },
  }),
};

/**
 * In words, that an operation costs too much with these variables; undefined when it does not, and for variables that cannot be
 * coerced, which the execution refuses.
 */
export function excessOfCost(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>> = {},
): string | undefined {
  const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], variables);
  if (!coerced) return undefined;
  const cost = costOf({ document, operation, variables: coerced, pagedFields: pagedFieldsOf(schema) });
  return cost > BOUNDS.cost ? `The operation costs ${cost}; the bound on cost is ${BOUNDS.cost}.` : undefined;
}

/** A plugin cannot refuse a document itself before its validation: that is given an empty one, and `refusalRule` says why. */
function replaceWhenTooLarge(context: GraphQLRequestContext<BaseContext>): void {
  const excess = context.document && excessOf(context.document);
  if (excess === undefined) return;
  const replacement: DocumentNode = { kind: Kind.DOCUMENT, definitions: [] };
  refusals.set(replacement, refusal(excess));
  Object.assign(context, { document: replacement });
}

/** The validation rule that refuses what the plugin found too large. */
export function refusalRule(context: ValidationContext): ASTVisitor {
  const found = refusals.get(context.getDocument());
  if (found) context.reportError(found);
  return {};
}

/** Refuses operations that a schema for reading has none of; one sent by GET was refused with 405 before. */
export const queryOnlyPlugin: ApolloServerPlugin = {
  requestDidStart: async () => ({
    didResolveOperation: async ({ operation }) => {
      const kind = operation?.operation ?? 'query';
      if (kind !== 'query') throw refusal(`This schema is for reading: it has no ${kind}.`);
    },
  }),
};

const pagedFields = new WeakMap<GraphQLSchema, ReadonlyMap<string, number>>();

/** The names of the fields that take `first`, with its default. */
function pagedFieldsOf(schema: GraphQLSchema): ReadonlyMap<string, number> {
  const known = pagedFields.get(schema);
  if (known) return known;
  const fields = Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .flatMap((type) => Object.values(type.getFields()));
  const found = new Map(fields.flatMap(({ name, args }) => defaultsOfFirst(args).map((first) => [name, first] as const)));
  pagedFields.set(schema, found);
  return found;
}

function defaultsOfFirst(args: readonly GraphQLArgument[]): number[] {
  return args
    .filter(({ name }) => name === 'first')
    .map(({ defaultValue }) => (typeof defaultValue === 'number' ? defaultValue : LARGEST_LIMIT));
}

/** Refuses a document as a whole, before any of its fields runs. */
function refusal(message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code: 'invalid_request' satisfies ErrorCode, http: { status: BAD_REQUEST } } });
}
