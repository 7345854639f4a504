import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { holdsApiKey } from '../logging/mask.js';

const SANE = /^[A-Za-z0-9._-]{1,128}$/;

/** The id of a request: what the client calls it in `X-Request-Id` when that is sane and holds no API key, else a new UUID. */
export function requestIdOf(raw: Pick<IncomingMessage, 'headers'>): string {
  const given = raw.headers['x-request-id'];
  return typeof given === 'string' && SANE.test(given) && !holdsApiKey(given) ? given : randomUUID();
}
