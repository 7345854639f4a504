import { entityTable, isOneOf, sql } from '#libs/database';
import { parseStreamNumber, streamProjection, type EventsOf, type ProjectionTarget } from '#libs/event-sourcing';
import { unbansAfter } from '../domain/api-key.decider.js';
import type { Plan, PlanChoice } from '../domain/api-key.js';
import { apiKeyEvents, type RecordedApiKeyEvent } from '../domain/api-key.events.js';
import { ApiKeyRow, ApiKeySecret } from './api-key.entity.js';

/** The API keys, and the hashes of their tokens. */
export const apiKeysProjection = streamProjection({
  entity: ApiKeyRow,
  version: 6,
  events: apiKeyEvents,
  evolve(key, event) {
    const { recordedAt } = event;
    if (event.type === 'api-key-issued') {
      const { scopes, keyStart } = event.data;
      const choice = planColumns(event.data);
      return { ...detailColumns(event.data), ...choice, scopes: scopes.join(','), keyStart, createdAt: recordedAt, unbans: 0 };
    }
    if (!key) return undefined;
    switch (event.type) {
      case 'api-key-details-changed':
        return { ...key, ...detailColumns(event.data) };
      case 'api-key-plan-changed':
        return { ...key, ...planColumns(event.data) };
      case 'api-key-scopes-changed':
        return { ...key, scopes: event.data.scopes.join(',') };
      case 'api-key-rotated': {
        const { keyStart, previousValidUntil } = event.data;
        return { ...key, rotatedAt: recordedAt, keyStart, previousValidUntil: toTime(previousValidUntil) };
      }
      case 'api-key-revoked':
        return { ...key, revokedAt: recordedAt };
      case 'api-key-banned':
        return { ...key, bannedUntil: new Date(event.data.until), banStep: event.data.step, banReason: event.data.reason };
      case 'api-key-unbanned':
        return { ...key, bannedUntil: undefined, banStep: undefined, banReason: undefined, unbans: unbansAfter(key.unbans, event.data) };
    }
  },
  further: [{ entities: [ApiKeySecret], project: ({ events }, target) => projectSecrets(events.filter(isSecretEvent), target) }],
});

function toTime(time: string | null): Date | undefined {
  return time === null ? undefined : new Date(time);
}

function detailColumns({ name, owner, expiresAt }: EventsOf<typeof apiKeyEvents, 'api-key-details-changed'>['data']) {
  return { name, foldedName: name, owner, expiresAt: toTime(expiresAt) };
}

function planColumns({ plan, perMinute, perDay }: PlanChoice & { readonly plan: Plan }) {
  return { plan, perMinute, perDay };
}

type SecretEvent = Extract<RecordedApiKeyEvent, { type: 'api-key-issued' | 'api-key-rotated' }>;

const secretsTable = entityTable(ApiKeySecret);

function isSecretEvent(event: RecordedApiKeyEvent): event is SecretEvent {
  return event.type === 'api-key-issued' || event.type === 'api-key-rotated';
}

/** Replaces the secrets of the keys that were issued or rotated. */
async function projectSecrets(events: readonly SecretEvent[], target: ProjectionTarget): Promise<void> {
  if (events.length === 0) return;
  const rotated = events.filter(({ type }) => type === 'api-key-rotated').map(({ stream }) => parseStreamNumber(stream));
  let secrets = await takeSecrets([...new Set(rotated)], target);
  for (const event of events) secrets = secretsAfter(secrets, event);
  secretsTable.insert(target, secrets, { into: target.table(secretsTable.name) });
}

/** A rotated key keeps its new secret and, given a grace, the previous one. Older ones end. */
function secretsAfter(secrets: readonly ApiKeySecret[], { stream, version, ...event }: SecretEvent): ApiKeySecret[] {
  const keyId = parseStreamNumber(stream);
  const validUntil = event.type === 'api-key-rotated' ? toTime(event.data.previousValidUntil) : undefined;
  const previous = validUntil ? secrets.filter((secret) => secret.keyId === keyId && !secret.validUntil) : [];
  return [
    ...secrets.filter((secret) => secret.keyId !== keyId),
    ...previous.map(({ hash }) => ({ hash, keyId, ...(validUntil && { validUntil }), version })),
    { hash: event.data.hash, keyId, version },
  ];
}

/** Removes the stored secrets of these keys and returns them. */
async function takeSecrets(ids: readonly bigint[], target: ProjectionTarget): Promise<ApiKeySecret[]> {
  if (ids.length === 0) return [];
  const table = target.table(secretsTable.name);
  const secrets = await secretsTable.read(target, table, sql`WHERE "key_id" ${isOneOf(ids)}`);
  await target.query(sql`DELETE FROM ${table} WHERE "key_id" ${isOneOf(ids)}`);
  return secrets;
}
