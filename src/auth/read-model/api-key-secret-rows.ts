import { insertRows, isOneOf, sql } from '#libs/database';
import type { ProjectionTable, ProjectionTarget } from '#libs/projections';
import { rotateSecrets, type ApiKeySecret } from '../domain/api-key-secrets.js';
import type { RecordedApiKeyEvent } from '../domain/api-key.events.js';
import { apiKeyIdOf } from '../domain/api-key-stream.js';

export const apiKeySecretsTable: ProjectionTable = {
  name: 'api_key_secrets',
  columns: {
    hash: { type: 'text' },
    key_id: { type: 'int64' },
    valid_until: { type: 'text', nullable: true },
    version: { type: 'int64' },
  },
  primaryKey: ['hash'],
  indexes: [['key_id']],
};

const columns = Object.keys(apiKeySecretsTable.columns);

type SecretEvent = Extract<RecordedApiKeyEvent, { type: 'api-key-issued' | 'api-key-rotated' }>;

interface SecretRow {
  readonly hash: string;
  readonly key_id: bigint | string;
  readonly valid_until: string | null;
  readonly version: bigint | string;
}

type SecretsByKey = Map<bigint, readonly ApiKeySecret[]>;

/** Replaces the secrets of the keys that were issued or rotated. */
export async function projectApiKeySecrets(events: readonly RecordedApiKeyEvent[], target: ProjectionTarget): Promise<void> {
  const relevant = events.filter((event): event is SecretEvent => event.type === 'api-key-issued' || event.type === 'api-key-rotated');
  if (relevant.length === 0) return;
  const rotated = relevant.filter(({ type }) => type === 'api-key-rotated').map(({ stream }) => apiKeyIdOf(stream));
  const secrets = await takeSecrets([...new Set(rotated)], target);
  for (const event of relevant) applyTo(secrets, event);
  const rows = [...secrets].flatMap(([id, ofKey]) => ofKey.map(({ hash, validUntil, version }) => [hash, id, validUntil, version]));
  await insertRows(target, { table: target.table(apiKeySecretsTable.name), columns, rows });
}

function applyTo(secrets: SecretsByKey, { stream, version, ...event }: SecretEvent): void {
  const id = apiKeyIdOf(stream);
  if (event.type === 'api-key-issued') secrets.set(id, [{ hash: event.data.hash, validUntil: null, version }]);
  else secrets.set(id, rotateSecrets(secrets.get(id) ?? [], { ...event.data, version }));
}

/** Removes the stored secrets of these keys and gives them back; keys without any have no entry. */
async function takeSecrets(ids: readonly bigint[], target: ProjectionTarget): Promise<SecretsByKey> {
  const secrets: SecretsByKey = new Map();
  if (ids.length === 0) return secrets;
  const table = target.table(apiKeySecretsTable.name);
  const rows = await target.query<SecretRow>(sql`SELECT * FROM ${table} WHERE "key_id" ${isOneOf(ids)}`);
  await target.query(sql`DELETE FROM ${table} WHERE "key_id" ${isOneOf(ids)}`);
  for (const { hash, key_id, valid_until, version } of rows) {
    const id = BigInt(key_id);
    secrets.set(id, [...(secrets.get(id) ?? []), { hash, validUntil: valid_until, version: Number(version) }]);
  }
  return secrets;
}
