import type { ApiKeyFields } from './api-key-fields.js';
import { readPlan } from './plans.js';

/** An API key with what its events say of it besides: its id, their number, and when some of them were recorded. */
export interface StoredApiKey extends ApiKeyFields {
  readonly id: bigint;
  readonly version: number;
  readonly createdAt: Date;
  readonly revokedAt?: Date | undefined;
  readonly rotatedAt?: Date | undefined;
}

/** An API key as operators see it; never its secret. */
export type ApiKeyView = ReturnType<typeof toApiKeyView>;

/** Returns a key as operators see it. `lastBan`: the last one since a ban was lifted, also when it is over. */
export function toApiKeyView({ id, version, name, owner, scopes, keyStart, createdAt, ...key }: StoredApiKey) {
  const { expiresAt = null, revokedAt = null, rotatedAt, previousValidUntil, bannedUntil, banStep = 0, banReason } = key;
  return {
    ...{ id, version, name, ...(owner !== undefined && { owner }) },
    ...readPlan(key),
    ...{ scopes, ...(keyStart !== undefined && { keyStart }) },
    ...{ createdAt, expiresAt, revokedAt },
    ...(rotatedAt && { rotatedAt }),
    ...(previousValidUntil && { previousKeyValidUntil: previousValidUntil }),
    ...(bannedUntil && { lastBan: { until: bannedUntil, step: banStep, ...(banReason !== undefined && { reason: banReason }) } }),
  };
}

/** Whether a key can be used at a moment, and if not, why. The first that holds: revoked, expired, banned. */
export type KeyStatus = 'active' | 'expired' | 'revoked' | 'banned';

export const KEY_STATUSES: readonly KeyStatus[] = ['active', 'expired', 'revoked', 'banned'];

/** The reason of a ban by the limiter. */
export const AUTOMATIC_BAN_REASON = 'It continued to send after 429 responses.';

export function keyStatus(key: ApiKeyView, now: Date): KeyStatus {
  if (key.revokedAt !== null) return 'revoked';
  if (key.expiresAt !== null && key.expiresAt <= now) return 'expired';
  return banInForce(key, now) ? 'banned' : 'active';
}

/** Returns the ban in force at a moment, if any. */
export function banInForce({ lastBan }: Pick<ApiKeyView, 'lastBan'>, now: Date) {
  return lastBan && lastBan.until > now ? { ...lastBan, reason: lastBan.reason ?? AUTOMATIC_BAN_REASON } : undefined;
}

/** A key as clients see it. Times are in RFC 3339. */
export type ApiKeyResource = ReturnType<typeof toApiKeyResource>;

/** Returns the representation of a key at a moment. Its entity tag is that of `If-Match`, so it has nothing that changes with each request. */
export function toApiKeyResource(key: ApiKeyView, now: Date) {
  const { id, name, owner, keyStart, plan, limits, scopes, createdAt, expiresAt, revokedAt, rotatedAt, previousKeyValidUntil } = key;
  const ban = banInForce(key, now);
  return {
    ...{ id, name, ...(owner !== undefined && { owner }), ...(keyStart !== undefined && { keyStart }) },
    ...{ plan, limits, scopes, status: keyStatus(key, now), createdAt },
    ...(expiresAt && { expiresAt }),
    ...(revokedAt && { revokedAt }),
    ...(rotatedAt && { rotatedAt }),
    ...(previousKeyValidUntil && { previousSecretValidUntil: previousKeyValidUntil }),
    ...(ban && { ban: { until: ban.until, reason: ban.reason } }),
  };
}
