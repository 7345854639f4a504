import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const LONG_RUN = /[A-Za-z0-9_%-]{20,}/g;
const MASK = '***';
const UNPRINTABLE = /[^\x21-\x7e]/g;
const MAXIMUM_PATH_LENGTH = 200;
const SANE_REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

let secretPattern = /(?!)/g;

/** Sets the form of the service's secrets, such as its API keys. Call it before anything is logged. @param pattern a global one */
export function setSecretPattern(pattern: RegExp): void {
  secretPattern = pattern;
}

/** Replaces secrets in a text. */
export function maskSecrets(text: string): string {
  return text.replace(secretPattern, MASK);
}

/**
 * Returns a path fit for a log: secrets, and what is long enough to be a part of one, are masked. What is not visible ASCII is
 * percent-encoded, so that nothing in it speaks to a terminal or begins a line.
 */
export function maskPath(path: string): string {
  const masked = maskSecrets(path.replace(LONG_RUN, MASK)).replace(UNPRINTABLE, percentEncode);
  return masked.length > MAXIMUM_PATH_LENGTH ? `${masked.slice(0, MAXIMUM_PATH_LENGTH)}…` : masked;
}

/** Returns the request's id: the client's `X-Request-Id` if it is sane and contains no secret, else a new UUID. */
export function getRequestId(raw: Pick<IncomingMessage, 'headers'>): string {
  const given = raw.headers['x-request-id'];
  return typeof given === 'string' && SANE_REQUEST_ID.test(given) && maskSecrets(given) === given ? given : randomUUID();
}

function percentEncode(character: string): string {
  return [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}
