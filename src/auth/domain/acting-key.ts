import { InsufficientScopeError } from './api-key.errors.js';

/** The scope of keys that manage keys. */
export const MANAGE_KEYS = 'keys:manage';

/** The API key that changes a key. */
export interface ActingKey {
  readonly id: bigint;
  /** Includes the scopes that its scopes include. */
  readonly scopes: readonly string[];
}

/**
 * Checks that the acting key has all scopes that it grants.
 * @param to who gets the scopes, for the message
 * @throws InsufficientScopeError that names the missing scopes
 */
export function assertMayGrant(by: ActingKey | undefined, scopes: readonly string[], to: string): void {
  const missing = by ? scopes.filter((scope) => !by.scopes.includes(scope)) : [];
  if (by && missing.length > 0) {
    throw new InsufficientScopeError(missing, `API key ${by.id} lacks the scope ${missing.join(' and ')}, so it cannot give it to ${to}.`);
  }
}

/** Checks that the acting key does not change its own terms. @throws InsufficientScopeError */
export function assertNotOwnTerms(by: ActingKey | undefined, id: bigint): void {
  if (by?.id !== id) return;
  const message = `API key ${id} cannot change its own scopes, plan or limits, or extend its expiry; use another key with the scope ${MANAGE_KEYS}.`;
  throw new InsufficientScopeError([MANAGE_KEYS], message);
}
