import { entityTable, isOneOf, sql } from '#libs/database';
import { parseStreamNumber, streamProjection, type ProjectionTarget } from '#libs/event-sourcing';
import { apiKeyDecider } from '../domain/api-key.decider.js';
import { apiKeyEvents, type RecordedApiKeyEvent } from '../domain/api-key.events.js';
import { ApiKeyRow, ApiKeySecret } from './api-key.entity.js';

/** The API keys, and the hashes of their tokens. */
export const apiKeysProjection = streamProjection({
  entity: ApiKeyRow,
  version: 6,
  events: apiKeyEvents,
  evolve(key, event) {
    const { type, recordedAt } = event;
    const before = key ? ({ status: key.revokedAt ? 'revoked' : 'issued', ...key } as const) : apiKeyDecider.initialState;
    const after = apiKeyDecider.evolve(before, event);
    if (after.status === 'none') return undefined;
    return {
      ...after,
      foldedName: after.name,
      createdAt: key?.createdAt ?? recordedAt,
      rotatedAt: type === 'api-key-rotated' ? recordedAt : key?.rotatedAt,
      revokedAt: type === 'api-key-revoked' ? recordedAt : key?.revokedAt,
    };
  },
  further: [{ entities: [ApiKeySecret], project: ({ events }, target) => projectSecrets(events.filter(isSecretEvent), target) }],
});

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
  const end = event.type === 'api-key-rotated' ? event.data.previousValidUntil : null;
  const previous = secrets.filter((secret) => end !== null && secret.keyId === keyId && !secret.validUntil);
  return [
    ...secrets.filter((secret) => secret.keyId !== keyId),
    ...previous.map(({ hash }) => ({ hash, keyId, validUntil: new Date(end ?? 0), version })),
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
