import { ApplicationError } from '#libs/errors';

const CHALLENGE = 'Bearer realm="adoption"';

/** The same for every reason, so that nobody learns which keys exist. The challenge follows RFC 6750 section 3. */
export class UnauthorizedError extends ApplicationError {
  override readonly name = 'UnauthorizedError';

  constructor({ tokenSent }: { readonly tokenSent: boolean }) {
    super('unauthorized', 'Missing or invalid API key; send a valid one in the header "Authorization: Bearer <API_KEY>".', {
      headers: { 'www-authenticate': tokenSent ? `${CHALLENGE}, error="invalid_token"` : CHALLENGE },
    });
  }
}

/** The key is valid but not for this part of the service (RFC 6750 section 3.1). */
export class InsufficientScopeError extends ApplicationError {
  override readonly name = 'InsufficientScopeError';

  /** @param scopes one of which would do */
  constructor(scopes: readonly string[]) {
    super('insufficient_scope', `This API key lacks the scope ${scopes.join(' or ')}; use a key that has it.`, {
      headers: { 'www-authenticate': `${CHALLENGE}, error="insufficient_scope", scope="${scopes.join(' ')}"` },
    });
  }
}
