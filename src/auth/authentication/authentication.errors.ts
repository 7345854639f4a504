import { ApplicationError } from '#libs/errors';

const CHALLENGE = 'Bearer realm="adoption"';
const KEY_HEADER = 'the header "Authorization: Bearer <API_KEY>"';

/** Why a request has no valid API key: nothing was sent, it was no bearer token, or it is not valid. */
export type MissingCredential =
  | { readonly lacks: 'header'; readonly otherHeader?: string | undefined }
  | { readonly lacks: 'bearer token' }
  | { readonly lacks: 'validity' };

/**
 * Tells a client what to send. What is wrong with a bearer token is not said, so that nobody learns which keys exist. The
 * challenge has an error code where a token was refused alone (RFC 6750 section 3.1).
 */
export class UnauthorizedError extends ApplicationError {
  override readonly name = 'UnauthorizedError';

  constructor(missing: MissingCredential) {
    super('unauthorized', messageOf(missing), {
      headers: { 'www-authenticate': missing.lacks === 'validity' ? `${CHALLENGE}, error="invalid_token"` : CHALLENGE },
    });
  }
}

function messageOf(missing: MissingCredential): string {
  switch (missing.lacks) {
    case 'header':
      return missing.otherHeader === undefined
        ? `There is no API key in this request; send one in ${KEY_HEADER}.`
        : `The header ${missing.otherHeader} is not read; send the API key in ${KEY_HEADER}.`;
    case 'bearer token':
      return `The header Authorization does not hold one bearer token; send the API key in ${KEY_HEADER}, once.`;
    case 'validity':
      return `The API key is not valid here; send a valid one in ${KEY_HEADER}.`;
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
