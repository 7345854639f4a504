import {
  getNamedType,
  isInterfaceType,
  isObjectType,
  Kind,
  type DocumentNode,
  type FieldNode,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** A type whose fields can be selected. */
export type TypeWithFields = GraphQLObjectType | GraphQLInterfaceType;

/** How to compute a value of a selection from its fields up. */
export interface SelectionRules<Value> {
  /** Joins the values of what is selected side by side, which may be nothing. */
  readonly join: (values: readonly Value[]) => Value;
  /** @param parent the type that the field is of; undefined if the schema does not have it */
  readonly ofField: (field: FieldNode, below: Value, parent: TypeWithFields | undefined) => Value;
}

/**
 * Computes the value of an operation. Each named fragment is computed once and counts wherever it is spread, so that fragments that double
 * one another cost no time. A fragment inside itself, which validation refuses, counts as nothing.
 */
export function measureOperation<Value>(
  schema: GraphQLSchema,
  { definitions }: DocumentNode,
  operation: OperationDefinitionNode,
  { join, ofField }: SelectionRules<Value>,
): Value {
  const fragments = new Map(definitions.flatMap((each) => (each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each]] : [])));
  const known = new Map<string, Value>();
  const ofFragment = (name: string): Value => {
    const found = known.get(name);
    if (found !== undefined) return found;
    known.set(name, join([]));
    const fragment = fragments.get(name);
    const value = measure(fragment?.selectionSet, findType(schema, fragment?.typeCondition.name.value));
    known.set(name, value);
    return value;
  };
  const ofSelection = (selection: SelectionNode, type: TypeWithFields | undefined): Value => {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return ofFragment(selection.name.value);
    const { selectionSet } = selection;
    if (selection.kind === Kind.FIELD) return ofField(selection, measure(selectionSet, typeBelow(selection, type)), type);
    return measure(selectionSet, selection.typeCondition ? findType(schema, selection.typeCondition.name.value) : type);
  };
  const measure = (set: SelectionSetNode | undefined, type: TypeWithFields | undefined): Value =>
    join((set?.selections ?? []).map((selection) => ofSelection(selection, type)));
  return measure(operation.selectionSet, schema.getRootType(operation.operation) ?? undefined);
}

function findType(schema: GraphQLSchema, name = ''): TypeWithFields | undefined {
  return withFields(schema.getType(name));
}

/** Returns the type of what a field gives; undefined for values and for fields that the type does not have. */
function typeBelow({ name }: FieldNode, type: TypeWithFields | undefined): TypeWithFields | undefined {
  return withFields(getNamedType(type?.getFields()[name.value]?.type));
}

function withFields(type: GraphQLNamedType | undefined): TypeWithFields | undefined {
  return isObjectType(type) || isInterfaceType(type) ? type : undefined;
}
