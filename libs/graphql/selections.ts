import { Kind, type DocumentNode, type FieldNode, type SelectionSetNode } from 'graphql';

/** How to compute a value of a selection from its fields up. */
export interface SelectionRules<Value> {
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
