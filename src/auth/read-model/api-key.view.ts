import { limitsOf, planTerms, type Limits, type Plan } from '../domain/plan.js';
import type { ApiKeyEntity } from './api-key.entity.js';

/** An API key as operators see it; never its secret. Times are ISO texts. */
export interface ApiKeyView {
  readonly id: bigint;
  readonly name: string;
  readonly plan: Plan;
  readonly limits: Limits;
  readonly scopes: readonly string[];
  /** The first four characters of its token after the prefix; absent for a token from before they were kept. */
  readonly keyStart?: string;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly revokedAt: string | null;
  readonly rotatedAt?: string;
  /** Until when the token before the last rotation works; absent when it ended at once. */
  readonly previousKeyValidUntil?: string;
  /** The last ban since one was lifted, also when it is over; absent when there was none. */
  readonly lastBan?: { readonly until: string; readonly step: number };
}

export function toApiKeyView(entity: ApiKeyEntity): ApiKeyView {
  const { id, name, plan, scopes, keyStart, createdAt, expiresAt, revokedAt, rotatedAt, previousValidUntil, bannedUntil, banStep } = entity;
  return {
    id,
    name,
    plan,
    limits: limitsOfEntity(entity),
    scopes,
    ...(keyStart === null ? {} : { keyStart }),
    createdAt,
    expiresAt,
    revokedAt,
    ...(rotatedAt === null ? {} : { rotatedAt }),
    ...(previousValidUntil === null ? {} : { previousKeyValidUntil: previousValidUntil }),
    ...(bannedUntil === null || banStep === null ? {} : { lastBan: { until: bannedUntil, step: banStep } }),
  };
}

export function limitsOfEntity({ plan, perMinute, perDay }: ApiKeyEntity): Limits {
  return limitsOf(planTerms({ plan, perMinute: perMinute ?? undefined, perDay: perDay ?? undefined }));
}
