const AUTHORIZATION = 'authorization';
const BEARER = /^bearer +(\S.*)$/i;
/** Where clients of other services send a key. */
const OTHER_KEY_HEADERS = ['X-API-Key', 'Api-Key', 'apikey'] as const;

/** What a request says about who sends it: a bearer token, or why there is none to use. */
export type BearerCredential =
  { readonly token: string; readonly lacks?: undefined } | { readonly token?: undefined; readonly lacks: 'header' | 'bearer token' };

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
  const [token] = tokens;
  if (token !== undefined && tokens.length === 1) return { token };
  return { lacks: tokens.length === 0 ? 'header' : 'bearer token' };
}

/** The header in which a client may have sent its key by mistake, as it is mostly written; undefined without one. */
export function otherKeyHeader(rawHeaders: readonly string[]): string | undefined {
  const sent = new Set(rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase()));
  return OTHER_KEY_HEADERS.find((name) => sent.has(name.toLowerCase()));
}
