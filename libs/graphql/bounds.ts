import {
  getVariableValues,
  isObjectType,
  Kind,
  type DocumentNode,
  type FieldNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';
import { LARGEST_LIMIT } from '#libs/http';

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
  cost: 5_000,
} as const;

/** Levels of fields outside introspection, levels of fields with introspection, and aliases. */
type Shape = readonly [depth: number, introspectionDepth: number, aliases: number];

/** Says which bound of depth and aliases an operation of the document exceeds; undefined if none. */
export function findExcessShape(document: DocumentNode): string | undefined {
  const measure = selectionMeasure<Shape>(document, {
    nothing: [0, 0, 0],
    combine: (left, right) => [Math.max(left[0], right[0]), Math.max(left[1], right[1]), left[2] + right[2]],
    ofField: ({ name, alias }, below) => {
      const [depth, introspectionDepth, aliases] = below();
      const isIntrospection = name.value === '__schema' || name.value === '__type';
      return [
        isIntrospection ? 0 : depth + 1,
        isIntrospection ? 1 + Math.max(depth, introspectionDepth) : introspectionDepth && introspectionDepth + 1,
        aliases + (alias === undefined ? 0 : 1),
      ];
    },
  });
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    const [depth, introspectionDepth, aliases] = measure(definition.selectionSet);
    if (depth > BOUNDS.depth) return `The operation is ${depth} levels deep; the bound on depth is ${BOUNDS.depth}.`;
    if (introspectionDepth > BOUNDS.introspectionDepth) {
      return `The introspection is ${introspectionDepth} levels deep; its bound on depth is ${BOUNDS.introspectionDepth}.`;
    }
    if (aliases > BOUNDS.aliases) return `The operation has ${aliases} aliases; the bound is ${BOUNDS.aliases}.`;
  }
  return undefined;
}

/**
 * Says that an operation with these variables exceeds the bound on cost; undefined if it does not, and for variables that cannot be coerced,
 * which the execution refuses.
 */
export function findExcessCost(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>> = {},
): string | undefined {
  const { coerced } = getVariableValues(schema, operation.variableDefinitions ?? [], variables);
  if (!coerced) return undefined;
  const cost = operationCost(schema, document, operation, coerced);
  return cost > BOUNDS.cost ? `The operation costs ${cost}; the bound on cost is ${BOUNDS.cost}.` : undefined;
}

/**
 * Computes the cost of an operation: one for a field, times `first` of every list above it.
 * @param variables coerced, with their defaults
 */
export function operationCost(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): number {
  const defaults = defaultPageSizes(schema);
  const measure = selectionMeasure<number>(document, {
    nothing: 0,
    combine: (left, right) => left + right,
    ofField: (field, below) => 1 + pageSize(field, variables, defaults.get(field.name.value)) * below(),
  });
  return measure(operation.selectionSet);
}

/** How many items a field gives at most: its `first`, moved into the range, outside of which the field refuses it; 1 if it has none. */
function pageSize({ arguments: given = [] }: FieldNode, variables: Readonly<Record<string, unknown>>, usual?: number): number {
  if (usual === undefined) return 1;
  const first = given.find(({ name }) => name.value === 'first')?.value;
  const value = first?.kind === Kind.VARIABLE ? variables[first.name.value] : first?.kind === Kind.INT ? Number(first.value) : undefined;
  return typeof value === 'number' ? Math.min(Math.max(value, 1), LARGEST_LIMIT) : usual;
}

const knownPageSizes = new WeakMap<GraphQLSchema, ReadonlyMap<string, number>>();

/** The default of `first` by the names of the fields that take it. */
function defaultPageSizes(schema: GraphQLSchema): ReadonlyMap<string, number> {
  const known = knownPageSizes.get(schema);
  if (known) return known;
  const fields = Object.values(schema.getTypeMap()).flatMap((type) => (isObjectType(type) ? Object.values(type.getFields()) : []));
  const found = new Map<string, number>();
  for (const { name, args } of fields) {
    const first = args.find((argument) => argument.name === 'first');
    if (first) found.set(name, typeof first.defaultValue === 'number' ? first.defaultValue : LARGEST_LIMIT);
  }
  knownPageSizes.set(schema, found);
  return found;
}

/** How to compute a value of a selection from its fields up. */
interface SelectionRules<Value> {
  readonly nothing: Value;
  readonly combine: (left: Value, right: Value) => Value;
  readonly ofField: (field: FieldNode, below: () => Value) => Value;
}

/**
 * Returns a function that computes the value of a selection in a document. Each named fragment is computed once and counts wherever it is
 * spread, so that fragments that double one another cost no time. A fragment inside itself, which validation refuses, counts as nothing.
 */
export function selectionMeasure<Value>(
  { definitions }: DocumentNode,
  { nothing, combine, ofField }: SelectionRules<Value>,
): (selections: SelectionSetNode | undefined) => Value {
  const fragments = new Map(definitions.flatMap((each) => (each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each]] : [])));
  const known = new Map<string, Value>();
  const ofFragment = (name: string): Value => {
    const found = known.get(name);
    if (found !== undefined) return found;
    known.set(name, nothing);
    const value = measure(fragments.get(name)?.selectionSet);
    known.set(name, value);
    return value;
  };
  const measure = (set: SelectionSetNode | undefined): Value =>
    (set?.selections ?? [])
      .map((selection) => {
        if (selection.kind === Kind.FIELD) return ofField(selection, () => measure(selection.selectionSet));
        return selection.kind === Kind.FRAGMENT_SPREAD ? ofFragment(selection.name.value) : measure(selection.selectionSet);
      })
      .reduce(combine, nothing);
  return measure;
}
