import type { RecordedBan } from '../domain/api-key-ban.js';
import type { Limits, Plan } from '../domain/plan.js';
import type { ApiKeyEntity } from './api-key.entity.js';
import type { ApiKeySecretEntity } from './api-key-secret.entity.js';
import { limitsOfEntity } from './api-key.view.js';

/** What a token stands for, and for how long. */
export interface ApiKeyCredential {
  readonly keyId: bigint;
  readonly name: string;
  readonly plan: Plan;
  readonly limits: Limits;
  readonly scopes: readonly string[];
  readonly ban: RecordedBan;
  /** Milliseconds since 1970 from which the token is refused: 0 when the key is revoked, Infinity when it never ends. */
  readonly usableUntil: number;
}

export function toApiKeyCredential({ key, validUntil }: ApiKeySecretEntity): ApiKeyCredential {
  const { id: keyId, name, plan, scopes, expiresAt, revokedAt } = key;
  const usableUntil = revokedAt === null ? Math.min(instantOf(expiresAt), instantOf(validUntil)) : 0;
  return { keyId, name, plan, limits: limitsOfEntity(key), scopes, ban: banOf(key), usableUntil };
}

function banOf({ bannedUntil, banStep, unbans }: ApiKeyEntity): RecordedBan {
  return { until: bannedUntil === null ? 0 : Date.parse(bannedUntil), step: banStep ?? 0, unbans };
}

function instantOf(time: string | null): number {
  return time === null ? Infinity : Date.parse(time);
}
