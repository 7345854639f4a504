export const MAXIMUM_TARGET_BYTES = 8_192;

/** A request target in origin form that needs no decoding: almost all of them. */
const PLAIN = /^\/[\x21\x22\x24\x26-\x7e]*$/;
const VISIBLE_ASCII = /^\/[\x21\x22\x24-\x7e]*$/;
const ABSOLUTE = /^https?:\/\/[^/?]+/i;

/** Whether a target is a path in ASCII with valid percent-encoding of UTF-8, or a URL with one (RFC 9112 section 3.2). */
export function isWellFormed(target: string): boolean {
  if (PLAIN.test(target)) return true;
  const path = toOriginForm(target);
  return VISIBLE_ASCII.test(path) && isDecodable(path);
}

/** Returns a path that the router can decode, whatever the target; one that is well-formed stays the same. */
export function toRoutable(target: string): string {
  if (PLAIN.test(target)) return target;
  const path = toOriginForm(target);
  const routable = path.startsWith('/') ? path : `/${path}`;
  return isDecodable(routable) ? routable : routable.replaceAll(/%(?![2-7][0-9a-f])/gi, '%25');
}

/** Returns the decoded path of a target, for the log; never fails. */
export function decodedPath(target: string): string {
  return decodeURIComponent(toRoutable(target).replace(/[?#].*/s, ''));
}

function toOriginForm(target: string): string {
  const origin = ABSOLUTE.exec(target)?.[0];
  if (origin === undefined || !URL.canParse(target)) return target;
  const rest = target.slice(origin.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
