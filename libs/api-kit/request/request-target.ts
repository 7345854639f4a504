export const MAXIMUM_TARGET_BYTES = 8_192;

/** A request target in origin form that needs no decoding: almost all of them. */
const PLAIN = /^\/[\x21\x22\x24\x26-\x7e]*$/;
const VISIBLE_ASCII = /^[\x21\x22\x24-\x7e]*$/;
const ABSOLUTE = /^https?:\/\/[^/?]+/i;

/** How a request target is routed. */
export interface RequestTarget {
  /** `asterisk` is `OPTIONS *`; `malformed` is none of the forms of RFC 9112 section 3.2, or broken percent-encoding. */
  readonly form: 'path' | 'asterisk' | 'malformed';
  /** In origin form. */
  readonly url: string;
}

/** Reads the target of a request that is not `CONNECT`. An absolute form gives its path and query. */
export function readRequestTarget(method: string, target: string): RequestTarget {
  if (PLAIN.test(target)) return { form: 'path', url: target };
  if (target === '*' && method === 'OPTIONS') return { form: 'asterisk', url: '/' };
  const url = originForm(target);
  return { form: url.startsWith('/') && VISIBLE_ASCII.test(url) && isDecodable(url) ? 'path' : 'malformed', url };
}

/** The path of a target, its percent-encoding of ASCII decoded but for the slash; never fails. */
export function decodedPath(target: string): string {
  const url = originForm(target);
  const end = url.search(/[?#]/);
  const path = end === -1 ? url : url.slice(0, end);
  return path.replaceAll(/%(?!2f)([0-7][0-9a-f])/gi, (_escape, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

function originForm(target: string): string {
  const origin = ABSOLUTE.exec(target)?.[0];
  if (origin === undefined || !URL.canParse(target)) return target;
  const rest = target.slice(origin.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

function isDecodable(url: string): boolean {
  try {
    decodeURIComponent(url);
    return true;
  } catch {
    return false;
  }
}
