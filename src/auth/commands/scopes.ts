import type { ScopeDefinition } from '#libs/http';

/** The scopes that a key can have, of all modules. */
export class Scopes {
  constructor(private readonly definitions: ReadonlyMap<string, ScopeDefinition>) {}

  /** Names of all scopes, the default ones first. */
  all(): readonly string[] {
    return [...this.definitions.keys()];
  }

  /** Default scopes of a new key. */
  defaults(): readonly string[] {
    return [...this.definitions].filter(([, { isDefault }]) => isDefault).map(([name]) => name);
  }

  /** Returns the granted scopes, followed by those that they include. */
  withIncluded(granted: readonly string[]): readonly string[] {
    const scopes = new Set(granted);
    // The loop also visits scopes that it adds.
    for (const scope of scopes) for (const included of this.definitions.get(scope)?.includes ?? []) scopes.add(included);
    return [...scopes];
  }

  /** Returns what is wrong with the scopes of a new key, as sentences without a full stop. */
  validationErrors(wanted: readonly string[]): string[] {
    const names = this.all();
    if (wanted.length === 0) return [`scopes must name at least one of ${names.join(', ')}`];
    if (!wanted.every((scope) => names.includes(scope))) return [`scopes must be among ${names.join(', ')}`];
    return new Set(wanted).size < wanted.length ? ['scopes must name each scope once'] : [];
  }
}
