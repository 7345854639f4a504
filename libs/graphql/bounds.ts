import {
  getVariableValues,
  Kind,
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import { LARGEST_LIMIT } from '#libs/http';
import { measureOperation, type TypeWithFields, type SelectionRules } from './selection-measure.js';

/** How large a document may be. The parser bounds tokens, the validation mistakes and comparisons. */
export const BOUNDS = {
  tokens: 1_000,
  /** Levels of fields; a root field is on level 1. */
  depth: 8,
  /** Levels below `__schema` and `__type`, whose standard query is deep. */
  introspectionDepth: 16,
  aliases: 15,
  /** Validation errors that are reported; then validation stops. */
  mistakes: 100,
  /** Comparisons that graphql-js spends on fields that cannot be merged: two for each two fields of one name. */
  comparisons: 500_000,
  /** About 1.5 µs each at worst, so that no operation holds the event loop for 300 ms. */
  cost: 150_000,
} as const;

/** Levels of fields outside introspection, levels of fields with introspection, and aliases. */
interface Shape {
  readonly depth: number;
  readonly introspectionDepth: number;
  readonly aliases: number;
}

const shapeRules: SelectionRules<Shape> = {
  join: (shapes) => ({
    depth: Math.max(0, ...shapes.map(({ depth }) => depth)),
    introspectionDepth: Math.max(0, ...shapes.map(({ introspectionDepth }) => introspectionDepth)),
    aliases: shapes.reduce((sum, { aliases }) => sum + aliases, 0),
  }),
  ofField: (field, { depth, introspectionDepth, aliases }, parent) => {
    const isIntrospection = field.name.value === '__schema' || field.name.value === '__type';
    const level = isStepOfConnection(field, parent) ? 0 : 1;
    return {
      depth: isIntrospection ? 0 : depth + level,
      introspectionDepth: isIntrospection ? 1 + Math.max(depth, introspectionDepth) : introspectionDepth && introspectionDepth + 1,
      aliases: aliases + (field.alias === undefined ? 0 : 1),
    };
  },
};

/** Says which bound of depth and aliases an operation of the document exceeds; undefined if none. The document may be invalid. */
export function findExcessShape(schema: GraphQLSchema, document: DocumentNode): string | undefined {
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    const { depth, introspectionDepth, aliases } = measureOperation(schema, document, definition, shapeRules);
    if (depth > BOUNDS.depth) return `The operation is ${depth} levels deep; the bound on depth is ${BOUNDS.depth}.`;
    if (introspectionDepth > BOUNDS.introspectionDepth) {
      return `The introspection is ${introspectionDepth} levels deep; its bound on depth is ${BOUNDS.introspectionDepth}.`;
    }
    if (aliases > BOUNDS.aliases) return `The operation has ${aliases} aliases; the bound is ${BOUNDS.aliases}.`;
  }
  return undefined;
}

/** Whether a field only leads from a connection to its items: `edges` of a connection, `node` of an edge. */
function isStepOfConnection({ name }: FieldNode, parent: TypeWithFields | undefined): boolean {
  if (name.value === 'edges') return parent?.name.endsWith('Connection') ?? false;
  return name.value === 'node' && (parent?.name.endsWith('Edge') ?? false);
}

/** Cost of a field that gives a value. */
const VALUE = 1;
/** Cost of a field with fields below it, which is loaded or looked up. */
const OBJECT = 10;
/** Cost of an item of a page, which is read whatever is selected of it. */
const ITEM = 5;

/** The arguments that say how many items a field gives, and the largest values that they take; cost bounds the others. */
const PAGE_SIZES: ReadonlyMap<string, number> = new Map([
  ['first', LARGEST_LIMIT],
  ['last', LARGEST_LIMIT],
  ['days', Infinity],
]);

type Variables = Readonly<Record<string, unknown>>;

/**
 * Says that an operation with these variables exceeds the bound on cost; undefined if it does not, and for variables that cannot be
 * coerced, which the execution refuses.
 */
export function findExcessCost(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables = {},
): string | undefined {
  const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], variables);
  const cost = coerced ? operationCost(schema, document, operation, coerced) : 0;
  if (cost <= BOUNDS.cost) return undefined;
  return `The operation costs ${cost}; the bound on cost is ${BOUNDS.cost}: ask for smaller pages, or for fewer fields below them.`;
}

/**
 * Computes the cost of an operation: 1 for a value, 10 for a field with fields below it, 5 for each item of a page, each times the page
 * sizes of all lists above it.
 * @param variables coerced, with their defaults
 */
export function operationCost(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Variables,
): number {
  return measureOperation<number>(schema, document, operation, {
    join: (costs) => costs.reduce((sum, cost) => sum + cost, 0),
    ofField: (field, below, parent) => {
      const size = readPageSize(field, parent?.getFields()[field.name.value], variables);
      return (field.selectionSet ? OBJECT : VALUE) + (size === undefined ? below : size * (ITEM + below));
    },
  });
}

/** Returns the page size of a list, moved into the range outside of which the list refuses it; undefined for a field that gives no page. */
function readPageSize(
  { arguments: given = [] }: FieldNode,
  field: GraphQLField<unknown, unknown> | undefined,
  variables: Variables,
): number | undefined {
  const sizes = given.flatMap(({ name: { value: argument }, value: node }): number[] => {
    const largest = PAGE_SIZES.get(argument);
    const value = node.kind === Kind.VARIABLE ? variables[node.name.value] : node.kind === Kind.INT ? Number(node.value) : undefined;
    return largest === undefined || typeof value !== 'number' ? [] : [Math.max(1, Math.min(value, largest))];
  });
  if (sizes.length > 0) return Math.max(...sizes);
  const defaults = field?.args.filter(({ name }) => PAGE_SIZES.has(name)).map(({ defaultValue }): unknown => defaultValue) ?? [];
  return defaults.length === 0 ? undefined : (defaults.find((size) => typeof size === 'number') ?? LARGEST_LIMIT);
}
