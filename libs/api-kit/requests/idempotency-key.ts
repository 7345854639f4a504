import { createHash } from 'node:crypto';
import { ApplicationError } from '#libs/errors';
import type { FastifyRequest } from 'fastify';
import { singleHeader } from '../request/single-header.js';

const MAXIMUM_LENGTH = 255;
const QUOTED = /^"((?:[\x20\x21\x23-\x5b\x5d-\x7e]|\\["\\])*)"$/;
const BARE = /^[\x21\x23-\x7e][\x20-\x7e]*$/;

/**
 * The key of the `Idempotency-Key` header, undefined without one. A quoted string (RFC 8941 section 3.3.3) and the
 * same characters without quotes are one key.
 * @throws ApplicationError `invalid_parameter` naming the header.
 */
export function readIdempotencyKey(request: FastifyRequest): string | undefined {
  const value = singleHeader(request, 'Idempotency-Key');
  return value === undefined ? undefined : parseIdempotencyKey(value);
}

/** Reads the header's value; see `readIdempotencyKey`. */
export function parseIdempotencyKey(value: string): string {
  const key = BARE.test(value) ? value : QUOTED.exec(value)?.[1]?.replaceAll(/\\(["\\])/g, '$1');
  if (key !== undefined && key.length >= 1 && key.length <= MAXIMUM_LENGTH) return key;
  throw new ApplicationError(
    'invalid_parameter',
    `Idempotency-Key must be 1 to ${MAXIMUM_LENGTH} printable ASCII characters, as they are or as a quoted string.`,
  );
}

/** Equal for equal values in the same order, however a request wrote them: what a repeated key is compared by. */
export function fingerprintOf(values: readonly unknown[]): string {
  const canonical = JSON.stringify(values, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : (value ?? null)));
  return createHash('sha256').update(canonical).digest('hex');
}
