import {
  getNamedType,
  isObjectType,
  Kind,
  type DocumentNode,
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';

/** How to compute a value of a selection from its fields up. */
export interface SelectionRules<Value> {
  readonly nothing: Value;
  readonly combine: (left: Value, right: Value) => Value;
  /** @param parent the type that the field is of; undefined if no schema is given, or if it does not have the type */
  readonly ofField: (field: FieldNode, below: () => Value, parent: GraphQLObjectType | undefined) => Value;
}

/**
 * Returns a function that computes the value of a selection in a document. Each named fragment is computed once and counts wherever it is
 * spread, so that fragments that double one another cost no time. A fragment inside itself, which validation refuses, counts as nothing.
 * @param schema tells the types of fields; only for rules that need them
 */
export function selectionMeasure<Value>(
  { definitions }: DocumentNode,
  { nothing, combine, ofField }: SelectionRules<Value>,
  schema?: GraphQLSchema,
): (selections: SelectionSetNode | undefined, type?: GraphQLObjectType | null) => Value {
  const fragments = new Map(definitions.flatMap((each) => (each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each]] : [])));
  const known = new Map<string, Value>();
  const findType = (name: string | undefined): GraphQLObjectType | undefined => {
    const type = name === undefined ? undefined : schema?.getType(name);
    return isObjectType(type) ? type : undefined;
  };
  const ofFragment = (name: string): Value => {
    const found = known.get(name);
    if (found !== undefined) return found;
    known.set(name, nothing);
    const fragment = fragments.get(name);
    const value = measure(fragment?.selectionSet, findType(fragment?.typeCondition.name.value));
    known.set(name, value);
    return value;
  };
  const ofSelection = (selection: SelectionNode, type: GraphQLObjectType | undefined): Value => {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return ofFragment(selection.name.value);
    const { selectionSet } = selection;
    if (selection.kind === Kind.FIELD) return ofField(selection, () => measure(selectionSet, typeBelow(selection, type)), type);
    return measure(selectionSet, selection.typeCondition ? findType(selection.typeCondition.name.value) : type);
  };
  const measure = (set: SelectionSetNode | undefined, type: GraphQLObjectType | undefined): Value =>
    (set?.selections ?? []).map((selection) => ofSelection(selection, type)).reduce(combine, nothing);
  return (selections, type) => measure(selections, type ?? undefined);
}

/** Returns the type of the objects that a field gives; undefined for values and for fields that the type does not have. */
function typeBelow({ name }: FieldNode, type: GraphQLObjectType | undefined): GraphQLObjectType | undefined {
  const below = getNamedType(type?.getFields()[name.value]?.type);
  return isObjectType(below) ? below : undefined;
}
