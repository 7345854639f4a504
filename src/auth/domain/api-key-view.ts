import type { Limits, Plan } from './plans.js';

/** An API key as operators see it; never its secret. */
export interface ApiKeyView {
  readonly id: bigint;
  /** Number of its events, from 1. */
  readonly version: number;
  readonly name: string;
  /** Absent if unknown. */
  readonly owner?: string;
  readonly plan: Plan;
  readonly limits: Limits;
  readonly scopes: readonly string[];
  /** The first four characters of its token after the prefix; absent for a token from before they were kept. */
  readonly keyStart?: string;
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly rotatedAt?: Date;
  /** Until when the token before the last rotation works; absent if it ended at once. */
  readonly previousKeyValidUntil?: Date;
  /** The last ban since one was lifted, also when it is over; absent without one. */
  readonly lastBan?: { readonly until: Date; readonly step: number; readonly reason?: string };
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
