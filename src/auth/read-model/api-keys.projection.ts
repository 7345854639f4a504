import { insertRows, isOneOf, sql } from '#libs/database';
import {
  column,
  foldText,
  optional,
  parseStreamNumber,
  streamProjection,
  type ProjectionRow,
  type ProjectionTable,
  type EventsOf,
  type ProjectionTarget,
} from '#libs/event-sourcing';
import { unbansAfter } from '../domain/api-key.decider.js';
import type { Plan, PlanChoice } from '../domain/api-key.js';
import { apiKeyEvents, type RecordedApiKeyEvent } from '../domain/api-key.events.js';

export const apiKeySecretsTable = {
  name: 'api_key_secrets',
  columns: {
    hash: { type: 'text' },
    key_id: { type: 'int64' },
    valid_until: { type: 'text', nullable: true },
    version: { type: 'int64' },
  },
  primaryKey: ['hash'],
  indexes: [['key_id']],
} as const satisfies ProjectionTable;

/** The API keys, and the hashes of their tokens. Times are ISO texts; scopes are separated by commas. */
export const apiKeysProjection = streamProjection({
  name: 'api-keys',
  version: 6,
  events: apiKeyEvents,
  columns: {
    name: column.text(),
    foldedName: column.text(),
    owner: optional(column.text()),
    plan: column.text<Plan>(),
    perMinute: optional(column.integer()),
    perDay: optional(column.integer()),
    scopes: column.text(),
    keyStart: optional(column.text()),
    createdAt: column.isoTime(),
    expiresAt: optional(column.isoTime()),
    revokedAt: optional(column.isoTime()),
    rotatedAt: optional(column.isoTime()),
    previousValidUntil: optional(column.isoTime()),
    bannedUntil: optional(column.isoTime()),
    banStep: optional(column.integer()),
    banReason: optional(column.text()),
    unbans: column.integer(),
  },
  indexes: [['owner', 'id']],
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
  further: [{ tables: [apiKeySecretsTable], project: ({ events }, target) => projectSecrets(events.filter(isSecretEvent), target) }],
});

function toTime(time: string | null): Date | undefined {
  return time === null ? undefined : new Date(time);
}

function detailColumns({ name, owner, expiresAt }: EventsOf<typeof apiKeyEvents, 'api-key-details-changed'>['data']) {
  return { name, foldedName: foldText(name), owner, expiresAt: toTime(expiresAt) };
}

function planColumns({ plan, perMinute, perDay }: PlanChoice & { readonly plan: Plan }) {
  return { plan, perMinute, perDay };
}

type SecretEvent = Extract<RecordedApiKeyEvent, { type: 'api-key-issued' | 'api-key-rotated' }>;

type StoredSecretRow = ProjectionRow<typeof apiKeySecretsTable>;
type SecretRow = StoredSecretRow & { readonly key_id: bigint };

function isSecretEvent(event: RecordedApiKeyEvent): event is SecretEvent {
  return event.type === 'api-key-issued' || event.type === 'api-key-rotated';
}

/** Replaces the secrets of the keys that were issued or rotated. */
async function projectSecrets(events: readonly SecretEvent[], target: ProjectionTarget): Promise<void> {
  if (events.length === 0) return;
  const rotated = events.filter(({ type }) => type === 'api-key-rotated').map(({ stream }) => parseStreamNumber(stream));
  let secrets = await takeSecrets([...new Set(rotated)], target);
  for (const event of events) secrets = secretsAfter(secrets, event);
  const rows = secrets.map(({ hash, key_id, valid_until, version }) => [hash, key_id, valid_until, version]);
  const columns = Object.keys(apiKeySecretsTable.columns);
  insertRows(target, { table: target.table(apiKeySecretsTable.name), columns, rows });
}

/** A rotated key keeps its new secret and, given a grace, the previous one. Older ones end. */
function secretsAfter(secrets: readonly SecretRow[], { stream, version, ...event }: SecretEvent): SecretRow[] {
  const key_id = parseStreamNumber(stream);
  const valid_until = event.type === 'api-key-rotated' ? event.data.previousValidUntil : null;
  const previous = valid_until === null ? [] : secrets.filter((secret) => secret.key_id === key_id && secret.valid_until === null);
  return [
    ...secrets.filter((secret) => secret.key_id !== key_id),
    ...previous.map((secret) => ({ ...secret, valid_until, version: BigInt(version) })),
    { hash: event.data.hash, key_id, valid_until: null, version: BigInt(version) },
  ];
}

/** Removes the stored secrets of these keys and returns them. */
async function takeSecrets(ids: readonly bigint[], target: ProjectionTarget): Promise<SecretRow[]> {
  if (ids.length === 0) return [];
  const table = target.table(apiKeySecretsTable.name);
  const rows = await target.query<StoredSecretRow>(sql`SELECT * FROM ${table} WHERE "key_id" ${isOneOf(ids)}`);
  await target.query(sql`DELETE FROM ${table} WHERE "key_id" ${isOneOf(ids)}`);
  return rows.map((row) => ({ ...row, key_id: BigInt(row.key_id) }));
}
