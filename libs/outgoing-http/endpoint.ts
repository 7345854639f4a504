import { RefusedEndpointError } from './outgoing-http.errors.js';

/** Where a request goes, as a URL says it. */
export interface Endpoint {
  /** Such as `https://example.com:8443`, as `URL` writes it. */
  readonly origin: string;
  /** A name, or an IP address as `URL` writes it; without the brackets of IPv6. */
  readonly host: string;
  readonly port: number;
  /** Whether it is `https`; else it is `http`. */
  readonly isSecure: boolean;
  /** The path with the query, encoded as it is sent. */
  readonly path: string;
}

/** The problem with a URL of another scheme. */
export const NOT_HTTPS = 'must begin with https://';

/** What `URL` would drop or turn into something else without a word. */
const SILENTLY_CHANGED = /[\p{Cc}\p{Cs}\p{Z}\\]/u;
const SCHEME = /^([a-z][a-z0-9+.-]*):\/\//i;
const WITH_HOST = /^[a-z]+:\/\/[^/?]/i;
const WITH_CREDENTIALS = /^[a-z]+:\/\/[^/?]*@/i;
const BRACKETS = /^\[|\]$/g;

/** Reads an absolute URL of `https` or `http`. @throws RefusedEndpointError where it is none, or says more than where to send. */
export function readEndpoint(url: string): Endpoint {
  if (SILENTLY_CHANGED.test(url)) refuse('must not contain white space, control characters or backslashes');
  if (url.includes('#')) refuse('must not have a fragment, that is, no #');
  const [, scheme] = SCHEME.exec(url) ?? refuse('must be an absolute https address, such as https://example.com/hooks');
  if (!isHttpScheme(scheme)) refuse(NOT_HTTPS);
  if (WITH_CREDENTIALS.test(url)) refuse('must not contain a user name or a password');
  if (!WITH_HOST.test(url) || !URL.canParse(url)) refuse('must be a valid address with a host, such as https://example.com/hooks');
  return toEndpoint(new URL(url));
}

function toEndpoint({ origin, hostname, protocol, port, pathname, search }: URL): Endpoint {
  const isSecure = protocol === 'https:';
  const usualPort = isSecure ? 443 : 80;
  return {
    origin,
    host: hostname.replace(BRACKETS, ''),
    port: port === '' ? usualPort : Number(port),
    isSecure,
    path: pathname + search,
  };
}

function isHttpScheme(scheme = ''): boolean {
  return ['http', 'https'].includes(scheme.toLowerCase());
}

function refuse(problem: string): never {
  throw new RefusedEndpointError(problem);
}
