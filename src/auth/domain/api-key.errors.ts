import { ApplicationError, errorCodes } from '#libs/observability';

/** Error codes of this module. */
export const authErrors = errorCodes({
  key_ended: {
    status: 409,
    description: 'This API key is revoked or expired, which cannot be undone by this request.',
    remedy: 'Create a new key. An expired key can be given a later `expiresAt`; a revoked one stays revoked.',
  },
  last_managing_key: {
    status: 409,
    description: 'No other API key could manage keys afterwards.',
    remedy: 'Give another key the scope `keys:manage` first, then send the request again.',
  },
});

export class ApiKeyNotFoundError extends ApplicationError {
  override readonly name = 'ApiKeyNotFoundError';

  constructor(id: bigint) {
    super('not_found', `There is no API key ${id}.`);
  }
}

/** The realm of challenges (RFC 9110 section 11.5). */
export const CHALLENGE = 'Bearer realm="adoption"';

/** The key is valid but lacks a scope (403, RFC 6750 section 3.1). */
export class InsufficientScopeError extends ApplicationError {
  override readonly name = 'InsufficientScopeError';

  /** @param message default: that any one of the scopes would be enough */
  constructor(scopes: readonly string[], message = `This API key lacks the scope ${scopes.join(' or ')}; use a key that has it.`) {
    super('insufficient_scope', message, {
      headers: { 'www-authenticate': `${CHALLENGE}, error="insufficient_scope", scope="${scopes.join(' ')}"` },
    });
  }
}
