import { identifier, insertRows, isOneOf, join, sql } from '#libs/database';
import type { ProjectionTable, ProjectionTarget } from '#libs/projections';
import type { RecordedApiKeyEvent } from '../domain/api-key.events.js';
import { unbansAfter } from '../domain/api-key-ban.js';
import { apiKeyIdOf } from '../domain/api-key-stream.js';
import type { PlanChoice } from '../domain/plan.js';

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

/** A row of `api_keys` by column name. */
type ApiKeyRow = Readonly<Record<string, string | number | bigint | null>>;

const columns = Object.keys(apiKeysTable.columns);
const OVERWRITE = sql`ON CONFLICT ("id") DO UPDATE SET ${join(columns.map((column) => sql`${identifier(column)} = excluded.${identifier(column)}`))}`;

/** Brings the rows of the keys that the events are about up to date. */
export async function projectApiKeys(events: readonly RecordedApiKeyEvent[], target: ProjectionTarget): Promise<void> {
  const rows = await loadRows(events, target);
  for (const event of events) {
    const id = apiKeyIdOf(event.stream);
    const before = rows.get(id) ?? {};
    rows.set(id, { ...before, ...changeOf(event, before), id, version: event.version });
  }
  const values = [...rows.values()].map((row) => columns.map((column) => row[column] ?? null));
  await insertRows(target, { table: target.table(apiKeysTable.name), columns, rows: values, suffix: OVERWRITE });
}

/** The rows that the events change; a key issued among the events has none yet. */
async function loadRows(events: readonly RecordedApiKeyEvent[], target: ProjectionTarget): Promise<Map<bigint, ApiKeyRow>> {
  const issued = new Set(events.filter(({ type }) => type === 'api-key-issued').map(({ stream }) => stream));
  const ids = [...new Set(events.map(({ stream }) => stream))].filter((stream) => !issued.has(stream)).map(apiKeyIdOf);
  if (ids.length === 0) return new Map();
  const rows = await target.query<ApiKeyRow>(sql`SELECT * FROM ${target.table(apiKeysTable.name)} WHERE "id" ${isOneOf(ids)}`);
  return new Map(rows.map((row) => [BigInt(row['id'] ?? 0), row]));
}

function changeOf(event: RecordedApiKeyEvent, before: ApiKeyRow): ApiKeyRow {
  const time = event.recordedAt.toISOString();
  switch (event.type) {
    case 'api-key-issued': {
      const { name, scopes, keyStart = null, expiresAt } = event.data;
      const columnsOfKey = { name, scopes: scopes.join(','), key_start: keyStart, created_at: time, expires_at: expiresAt, unbans: 0 };
      return { ...planColumns(event.data), ...columnsOfKey };
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

function planColumns({ plan, perMinute, perDay }: PlanChoice): ApiKeyRow {
  return { plan, per_minute: perMinute ?? null, per_day: perDay ?? null };
}
