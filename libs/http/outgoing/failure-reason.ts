import { errors } from 'undici';

/** A URL that nothing is sent to. The message continues "url …" and may be shown to the URL's owner. */
export class RefusedEndpointError extends Error {}

/** Why a request was not answered, in words for the endpoint's owner. */
export class ExchangeFailedError extends Error {}

const CLOSED = 'closed the connection before a complete answer';
const UNREACHABLE = 'cannot be reached';

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: CLOSED,
  EPIPE: CLOSED,
  UND_ERR_SOCKET: CLOSED,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: CLOSED,
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  EADDRNOTAVAIL: UNREACHABLE,
  ETIMEDOUT: UNREACHABLE,
  UND_ERR_HEADERS_OVERFLOW: 'the head of the answer is too large',
  CERT_HAS_EXPIRED: certificate('expired'),
  CERT_NOT_YET_VALID: certificate('not valid yet'),
  CERT_REVOKED: certificate('revoked'),
  DEPTH_ZERO_SELF_SIGNED_CERT: certificate('self-signed'),
  SELF_SIGNED_CERT_IN_CHAIN: certificate('self-signed issuer'),
  UNABLE_TO_GET_ISSUER_CERT: certificate('issuer not known'),
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: certificate('issuer not known'),
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: certificate('issuer not known, or not sent with it'),
  ERR_TLS_CERT_ALTNAME_INVALID: certificate('made out for another host'),
};

/** undici's words for bytes before a request, an unwanted interim response, and an unwanted change of protocol. */
const OUT_OF_PLACE: readonly string[] = ['bad response', 'bad upgrade'];

/** For codes that are too many to list. */
const FAMILIES: readonly (readonly [RegExp, string])[] = [
  [/CERT|^INVALID_(?:CA|PURPOSE)$/, 'certificate not valid'],
  [/^E(?:RR_SSL|RR_TLS|PROTO)/, 'no TLS connection could be made'],
];

/** Says why a request failed, in plain words that tell only what the receiver did. */
export function failureReason(error: unknown): string {
  if (error instanceof RefusedEndpointError) return `url ${error.message}`;
  if (error instanceof ExchangeFailedError) return error.message;
  if (error instanceof errors.SocketError && OUT_OF_PLACE.includes(error.message)) return 'sent something other than an answer';
  if (error instanceof errors.HTTPParserError) return 'the answer is not valid HTTP/1.1';
  const code = findErrorCode(error);
  return REASONS[code] ?? FAMILIES.find(([pattern]) => pattern.test(code))?.[1] ?? `the exchange failed (${code})`;
}

function certificate(flaw: string): string {
  return `certificate not valid (${flaw})`;
}

function findErrorCode(error: unknown): string {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string' ? error.code : 'unknown';
}
