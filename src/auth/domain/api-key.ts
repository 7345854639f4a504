import type { FieldError } from '#libs/observability';

/** The scope of keys that manage keys. */
export const MANAGE_KEYS = 'keys:manage';

/** The category of the streams of API keys. */
export const API_KEY_CATEGORY = 'api-key';

/** The stream of an API key, which is also its name as an actor: `api-key-7` for 7. */
export function apiKeyStream(id: bigint): string {
  return `${API_KEY_CATEGORY}-${id}`;
}

/** The last ban of a key that the log has. */
export interface RecordedBan {
  /** Milliseconds since 1970; 0 without a ban since the last unban. */
  readonly until: number;
  /** Its place on the ladder of ever longer bans, from 1; 0 without a ban. */
  readonly step: number;
  /** Grows each time a ban of this key is lifted: a ban with a smaller number is over. Follows the clock, so it grows even if the log was restored from a backup. */
  readonly unbans: number;
  /** Why, of a ban that an operator imposed. */
  readonly reason?: string | undefined;
}

interface ScopeRules {
  /** Whether a key has it unless its scopes are given. */
  readonly isDefault?: boolean;
  /** Other scopes that a key with it has too. */
  readonly includes?: readonly string[];
}

/** The scopes that a key can have, of all modules. */
export class Scopes {
  constructor(private readonly definitions: ReadonlyMap<string, ScopeRules>) {}

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

  /** Returns an error unless all of these scopes exist. */
  validationErrors(wanted: unknown): FieldError[] {
    const names = this.all();
    const isUnknown = Array.isArray(wanted) && wanted.some((scope: unknown) => typeof scope === 'string' && !names.includes(scope));
    return isUnknown ? [{ field: 'scopes', rule: 'in', message: `scopes must be among ${names.join(', ')}` }] : [];
  }
}
