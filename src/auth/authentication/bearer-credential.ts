const AUTHORIZATION = 'authorization';
const BEARER = /^bearer +(\S.*)$/i;

/** What a request says about who sends it. `token` is undefined where no usable one was sent; `tokenSent`: a bearer token was tried. */
export interface BearerCredential {
  readonly token: string | undefined;
  readonly tokenSent: boolean;
}

/**
 * Reads the bearer token (RFC 6750 section 2.1) from the header names and values as they were received.
 * A repeated Authorization header gives no token: Node keeps the first of them, a proxy before it may have used the last.
 */
export function readBearerCredential(rawHeaders: readonly string[]): BearerCredential {
  const tokens: (string | undefined)[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    // Comparing lengths first spares the lower-casing of all other headers.
    if (name?.length !== AUTHORIZATION.length || name.toLowerCase() !== AUTHORIZATION) continue;
    tokens.push(BEARER.exec(rawHeaders[index + 1] ?? '')?.[1]);
  }
  const tokenSent = tokens.some((token) => token !== undefined);
  return { token: tokens.length === 1 ? tokens[0] : undefined, tokenSent };
}
