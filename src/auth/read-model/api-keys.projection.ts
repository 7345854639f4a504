import { identifier, insertRows, isOneOf, join, sql } from '#libs/database';
import { listEventTypes, type Projection, type ProjectionTable, type ProjectionTarget } from '#libs/event-sourcing';
import { unbansAfter } from '../domain/api-key.decider.js';
import { parseApiKeyStream, type PlanChoice } from '../domain/api-key.js';
import { apiKeyEvents, type ApiKeyEvent, type RecordedApiKeyEvent } from '../domain/api-key.events.js';

export const apiKeysTable: ProjectionTable = {
  name: 'api_keys',
  columns: {
    id: { type: 'int64' },
    name: { type: 'text' },
    plan: { type: 'text' },
    per_minute: { type: 'int64', nullable: true },
    per_day: { type: 'int64', nullable: true },
    scopes: { type: 'text' },
    key_start: { type: 'text', nullable: true },
    created_at: { type: 'text' },
    expires_at: { type: 'text', nullable: true },
    revoked_at: { type: 'text', nullable: true },
    rotated_at: { type: 'text', nullable: true },
    previous_valid_until: { type: 'text', nullable: true },
    banned_until: { type: 'text', nullable: true },
    ban_step: { type: 'int64', nullable: true },
    unbans: { type: 'int64' },
    version: { type: 'int64' },
  },
  primaryKey: ['id'],
};

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

/** The API keys, and the hashes of their tokens. Times are ISO texts; scopes are separated by commas. */
export const apiKeysProjection: Projection<ApiKeyEvent> = {
  name: 'api-keys',
  version: 5,
  eventTypes: listEventTypes(apiKeyEvents),
  tables: [apiKeysTable, apiKeySecretsTable],

  async project(events: readonly RecordedApiKeyEvent[], target: ProjectionTarget): Promise<void> {
    await projectKeys(events, target);
    await projectSecrets(events.filter(isSecretEvent), target);
  },
};

/** A row of `api_keys` by column name. */
type KeyRow = Readonly<Record<string, string | number | bigint | null>>;

const keyColumns = Object.keys(apiKeysTable.columns);
const OVERWRITE = sql`ON CONFLICT ("id") DO UPDATE SET ${join(keyColumns.map((column) => sql`${identifier(column)} = excluded.${identifier(column)}`))}`;

async function projectKeys(events: readonly RecordedApiKeyEvent[], target: ProjectionTarget): Promise<void> {
  const rows = await loadKeyRows(events, target);
  for (const event of events) {
    const id = parseApiKeyStream(event.stream);
    const before = rows.get(id) ?? {};
    rows.set(id, { ...before, ...changedColumns(event, before), id, version: event.version });
  }
  const values = [...rows.values()].map((row) => keyColumns.map((column) => row[column] ?? null));
  await insertRows(target, { table: target.table(apiKeysTable.name), columns: keyColumns, rows: values, suffix: OVERWRITE });
}

/** Loads the rows that the events change; a key issued by one of the events has none yet. */
async function loadKeyRows(events: readonly RecordedApiKeyEvent[], target: ProjectionTarget): Promise<Map<bigint, KeyRow>> {
  const issued = new Set(events.filter(({ type }) => type === 'api-key-issued').map(({ stream }) => stream));
  const ids = [...new Set(events.map(({ stream }) => stream))].filter((stream) => !issued.has(stream)).map(parseApiKeyStream);
  if (ids.length === 0) return new Map();
  const rows = await target.query<KeyRow>(sql`SELECT * FROM ${target.table(apiKeysTable.name)} WHERE "id" ${isOneOf(ids)}`);
  return new Map(rows.map((row) => [BigInt(row['id'] ?? 0), row]));
}

function changedColumns(event: RecordedApiKeyEvent, before: KeyRow): KeyRow {
  const time = event.recordedAt.toISOString();
  switch (event.type) {
    case 'api-key-issued': {
      const { name, scopes, keyStart = null, expiresAt } = event.data;
      const columns = { name, scopes: scopes.join(','), key_start: keyStart, created_at: time, expires_at: expiresAt, unbans: 0 };
      return { ...planColumns(event.data), ...columns };
    }
    case 'api-key-plan-changed':
      return planColumns(event.data);
    case 'api-key-scopes-changed':
      return { scopes: event.data.scopes.join(',') };
    case 'api-key-rotated':
      return { rotated_at: time, key_start: event.data.keyStart ?? null, previous_valid_until: event.data.previousValidUntil };
    case 'api-key-revoked':
      return { revoked_at: time };
    case 'api-key-banned':
      return { banned_until: event.data.until, ban_step: event.data.step };
    case 'api-key-unbanned':
      return { banned_until: null, ban_step: null, unbans: unbansAfter(Number(before['unbans'] ?? 0), event.data) };
  }
}

function planColumns({ plan, perMinute, perDay }: PlanChoice): KeyRow {
  return { plan, per_minute: perMinute ?? null, per_day: perDay ?? null };
}

type SecretEvent = Extract<RecordedApiKeyEvent, { type: 'api-key-issued' | 'api-key-rotated' }>;

interface SecretRow {
  readonly hash: string;
  readonly key_id: bigint;
  readonly valid_until: string | null;
  readonly version: number;
}

type StoredSecretRow = Omit<SecretRow, 'key_id' | 'version'> & Record<'key_id' | 'version', bigint | string>;

function isSecretEvent(event: RecordedApiKeyEvent): event is SecretEvent {
  return event.type === 'api-key-issued' || event.type === 'api-key-rotated';
}

/** Replaces the secrets of the keys that were issued or rotated. */
async function projectSecrets(events: readonly SecretEvent[], target: ProjectionTarget): Promise<void> {
  if (events.length === 0) return;
  const rotated = events.filter(({ type }) => type === 'api-key-rotated').map(({ stream }) => parseApiKeyStream(stream));
  let secrets = await takeSecrets([...new Set(rotated)], target);
  for (const event of events) secrets = secretsAfter(secrets, event);
  const rows = secrets.map(({ hash, key_id, valid_until, version }) => [hash, key_id, valid_until, version]);
  const columns = Object.keys(apiKeySecretsTable.columns);
  await insertRows(target, { table: target.table(apiKeySecretsTable.name), columns, rows });
}

/** A rotated key keeps its new secret and, given a grace, the previous one. Older ones end. */
function secretsAfter(secrets: readonly SecretRow[], { stream, version, ...event }: SecretEvent): SecretRow[] {
  const key_id = parseApiKeyStream(stream);
  const valid_until = event.type === 'api-key-rotated' ? event.data.previousValidUntil : null;
  const previous = valid_until === null ? [] : secrets.filter((secret) => secret.key_id === key_id && secret.valid_until === null);
  return [
    ...secrets.filter((secret) => secret.key_id !== key_id),
    ...previous.map((secret) => ({ ...secret, valid_until, version })),
    { hash: event.data.hash, key_id, valid_until: null, version },
  ];
}

/** Removes the stored secrets of these keys and returns them. */
async function takeSecrets(ids: readonly bigint[], target: ProjectionTarget): Promise<SecretRow[]> {
  if (ids.length === 0) return [];
  const table = target.table(apiKeySecretsTable.name);
  const rows = await target.query<StoredSecretRow>(sql`SELECT * FROM ${table} WHERE "key_id" ${isOneOf(ids)}`);
  await target.query(sql`DELETE FROM ${table} WHERE "key_id" ${isOneOf(ids)}`);
  return rows.map((row) => ({ ...row, key_id: BigInt(row.key_id), version: Number(row.version) }));
}
