import { ApplicationError } from '#libs/observability';

const AUTHORIZATION = 'authorization';
const BEARER = /^bearer +(\S.*)$/i;
const CHALLENGE = 'Bearer realm="adoption"';
const KEY_HEADER = 'the header "Authorization: Bearer <API_KEY>"';
/** Headers in which clients of other services send a key. */
const OTHER_KEY_HEADERS = ['X-API-Key', 'Api-Key', 'apikey'] as const;

/**
 * Reads the bearer token (RFC 6750 section 2.1) from the header names and values as they were received. Undefined without one, and if
 * the Authorization header is repeated: Node keeps the first, a proxy before it may have used the last.
 */
export function readBearerToken(rawHeaders: readonly string[]): string | undefined {
  let token: string | undefined;
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    // Comparing lengths first spares the lower-casing of all other headers.
    if (name?.length !== AUTHORIZATION.length || name.toLowerCase() !== AUTHORIZATION) continue;
    token = BEARER.exec(rawHeaders[index + 1] ?? '')?.[1];
    count += 1;
  }
  return count === 1 ? token : undefined;
}

/** The request has no valid API key (401). What is wrong with a token is not said, so that nobody learns which keys exist. */
export class UnauthorizedError extends ApplicationError {
  override readonly name = 'UnauthorizedError';

  /** The error for a request without a bearer token, which names the header in which a key was sent by mistake. */
  static missing(rawHeaders: readonly string[]): UnauthorizedError {
    const sent = new Set(rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase()));
    if (sent.has(AUTHORIZATION)) {
      return new UnauthorizedError(`The header Authorization does not hold one bearer token; send the API key in ${KEY_HEADER}, once.`);
    }
    const other = OTHER_KEY_HEADERS.find((name) => sent.has(name.toLowerCase()));
    if (other) return new UnauthorizedError(`The header ${other} is not read; send the API key in ${KEY_HEADER}.`);
    return new UnauthorizedError(`There is no API key in this request; send one in ${KEY_HEADER}.`);
  }

  /** The challenge has an error code only if a token was refused (RFC 6750 section 3.1). */
  static invalid(): UnauthorizedError {
    return new UnauthorizedError(`The API key is not valid here; send a valid one in ${KEY_HEADER}.`, ', error="invalid_token"');
  }

  private constructor(message: string, challengeError = '') {
    super('unauthorized', message, { headers: { 'www-authenticate': `${CHALLENGE}${challengeError}` } });
  }
}

/** The key is valid but lacks the scope (403, RFC 6750 section 3.1). */
export class InsufficientScopeError extends ApplicationError {
  override readonly name = 'InsufficientScopeError';

  /** @param scopes any one of which would be enough */
  constructor(scopes: readonly string[]) {
    super('insufficient_scope', `This API key lacks the scope ${scopes.join(' or ')}; use a key that has it.`, {
      headers: { 'www-authenticate': `${CHALLENGE}, error="insufficient_scope", scope="${scopes.join(' ')}"` },
    });
  }
}
