import { insertRows, join, raw, row, sql, type SqlRunner } from '#libs/database';
import type { RetentionRule } from '#libs/operations';
import type { RecordedEvent } from './event.js';
import type { EventRegistry } from './event-registry.js';
import { selectEvents } from './event-row.js';
import { IdempotencyKeyReusedError } from './event-store.errors.js';
import type { AppendResult, Idempotency } from './event-store.js';

/** A key that is stored: what it was used for, and the positions its events were given. */
export interface StoredIdempotencyKey {
  readonly fingerprint: string;
  readonly firstPosition: bigint;
  readonly lastPosition: bigint;
}

interface IdempotencyRow {
  readonly scope: string;
  readonly key: string;
  readonly fingerprint: string;
  readonly first_position: bigint | string;
  readonly last_position: bigint | string;
}

/** Keeps each key for so many milliseconds, in which a repeated request is recognised. */
export function idempotencyKeyRetention(keepFor: number): RetentionRule {
  return { table: 'idempotency_keys', key: ['scope', 'key'], storedAt: 'created_at', keepFor };
}

/** One name for a scope and a key; neither can forge another's, because the scope's length is part of it. */
export function idempotencyName({ scope, key }: Pick<Idempotency, 'scope' | 'key'>): string {
  return `${scope.length}:${scope}${key}`;
}

/** The keys among `wanted` that are stored, by `idempotencyName`. */
export async function findIdempotencyKeys(runner: SqlRunner, wanted: readonly Idempotency[]): Promise<Map<string, StoredIdempotencyKey>> {
  if (wanted.length === 0) return new Map();
  const pairs = join(wanted.map(({ scope, key }) => row([scope, key])));
  const rows = await runner.query<IdempotencyRow>(
    sql`SELECT "scope", "key", "fingerprint", "first_position", "last_position" FROM "idempotency_keys"
        WHERE ("scope", "key") IN (VALUES ${pairs})`,
  );
  return new Map(rows.map((stored) => [idempotencyName(stored), toStoredKey(stored)]));
}

/** Stores the keys of requests whose events are appended in the same transaction. */
export async function insertIdempotencyKeys(
  runner: SqlRunner,
  entries: readonly { readonly idempotency: Idempotency; readonly events: readonly RecordedEvent[] }[],
  createdAt: Date,
): Promise<void> {
  const rows = entries.map(({ idempotency: { scope, key, fingerprint }, events }) => [
    scope,
    key,
    fingerprint,
    events.at(0)?.position ?? 0n,
    events.at(-1)?.position ?? 0n,
    createdAt.getTime(),
  ]);
  const columns = ['scope', 'key', 'fingerprint', 'first_position', 'last_position', 'created_at'];
  await insertRows(runner, { table: raw('"idempotency_keys"'), columns, rows });
}

/**
 * The events that the first request with a stored key recorded.
 * @throws IdempotencyKeyReusedError for a request with other values
 */
export async function replayOf(
  runner: SqlRunner,
  registry: EventRegistry,
  { fingerprint, stored }: Pick<Idempotency, 'fingerprint'> & { readonly stored: StoredIdempotencyKey },
): Promise<AppendResult> {
  if (fingerprint !== stored.fingerprint) throw new IdempotencyKeyReusedError();
  const condition = sql`WHERE "position" BETWEEN ${stored.firstPosition} AND ${stored.lastPosition} ORDER BY "position"`;
  return { events: await selectEvents(runner, registry, condition), replayed: true };
}

function toStoredKey(row: IdempotencyRow): StoredIdempotencyKey {
  return { fingerprint: row.fingerprint, firstPosition: BigInt(row.first_position), lastPosition: BigInt(row.last_position) };
}
