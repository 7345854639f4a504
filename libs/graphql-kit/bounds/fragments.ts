import { Kind, type DocumentNode, type FragmentDefinitionNode, type SelectionNode, type SelectionSetNode } from 'graphql';

/** The named fragments of a document. */
export function fragmentsOf({ definitions }: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> {
  return new Map(
    definitions.flatMap((definition) => (definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition]] : [])),
  );
}

/**
 * Measures selections from their fields up. Each named fragment is measured once and counts wherever it is spread, so that
 * fragments that double one another cost no time. A fragment that contains itself, which validation refuses, counts as nothing there.
 */
export class SelectionMeasure<Measured> {
  private readonly ofFragments = new Map<string, Measured>();

  constructor(
    private readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>,
    private readonly rules: {
      readonly nothing: Measured;
      readonly combine: (left: Measured, right: Measured) => Measured;
      readonly ofField: (field: Extract<SelectionNode, { kind: Kind.FIELD }>, below: () => Measured) => Measured;
    },
  ) {}

  of(selections: SelectionSetNode | undefined): Measured {
    const { nothing, combine } = this.rules;
    return (selections?.selections ?? []).map((selection) => this.ofSelection(selection)).reduce(combine, nothing);
  }

  private ofSelection(selection: SelectionNode): Measured {
    switch (selection.kind) {
      case Kind.FIELD:
        return this.rules.ofField(selection, () => this.of(selection.selectionSet));
      case Kind.INLINE_FRAGMENT:
        return this.of(selection.selectionSet);
      case Kind.FRAGMENT_SPREAD:
        return this.ofFragment(selection.name.value);
    }
  }

  private ofFragment(name: string): Measured {
    const known = this.ofFragments.get(name);
    if (known !== undefined) return known;
    this.ofFragments.set(name, this.rules.nothing);
    const measured = this.of(this.fragments.get(name)?.selectionSet);
    this.ofFragments.set(name, measured);
    return measured;
  }
}
