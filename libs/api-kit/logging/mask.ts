import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const LONG_RUN = /[A-Za-z0-9_%-]{20,}/g;
const API_KEY = /adopt_[A-Za-z0-9_%-]*/gi;
const MASK = '***';
const UNPRINTABLE = /[^\x21-\x7e]/g;
const SHOWN_CHARACTERS = 200;
const SANE_REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * A path fit for a log: whatever is long enough to be a key, or a part of one, is masked, and what is not visible ASCII
 * percent-encoded, so that nothing in it speaks to a terminal or begins a line.
 */
export function maskPath(path: string): string {
  const masked = path.replace(LONG_RUN, MASK).replace(API_KEY, MASK).replace(UNPRINTABLE, percentEncoded);
  return masked.length > SHOWN_CHARACTERS ? `${masked.slice(0, SHOWN_CHARACTERS)}…` : masked;
}

function percentEncoded(character: string): string {
  return [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}

/** A text fit for a log: API keys in it are masked. */
export function maskApiKeys(text: string): string {
  return text.replace(API_KEY, MASK);
}

/** The id of a request: what the client calls it in `X-Request-Id` when that is sane and holds no API key, else a new UUID. */
export function requestIdOf(raw: Pick<IncomingMessage, 'headers'>): string {
  const given = raw.headers['x-request-id'];
  return typeof given === 'string' && SANE_REQUEST_ID.test(given) && given.search(API_KEY) === -1 ? given : randomUUID();
}
