import type { ScopeDefinition } from '#libs/domain-modules';

/** The scopes that a key can have, as the modules bring them. */
export class Scopes {
  constructor(private readonly definitions: ReadonlyMap<string, ScopeDefinition>) {}

  /** The names of all, those that a key has by default first. */
  all(): readonly string[] {
    return [...this.definitions.keys()];
  }

  /** What a key may do for which nobody says it. */
  defaults(): readonly string[] {
    return [...this.definitions].filter(([, { isDefault }]) => isDefault).map(([name]) => name);
  }

  /** What a key with these may do: they themselves first, then what they include. */
  withIncluded(granted: readonly string[]): readonly string[] {
    const scopes = new Set(granted);
    // What is added on the way is looked at too.
    for (const scope of scopes) for (const included of this.definitions.get(scope)?.includes ?? []) scopes.add(included);
    return [...scopes];
  }

  /** What is wrong with the scopes that a key shall have, as sentences without an end; none when they will do. */
  faultsOf(wanted: readonly string[]): string[] {
    const names = this.all();
    if (wanted.length === 0) return [`scopes must name at least one of ${names.join(', ')}`];
    if (!wanted.every((scope) => names.includes(scope))) return [`scopes must be among ${names.join(', ')}`];
    return new Set(wanted).size < wanted.length ? ['scopes must name each scope once'] : [];
  }
}
