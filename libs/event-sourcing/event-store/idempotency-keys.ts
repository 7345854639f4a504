import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { columnTypes, entityTable, join, type RetentionRule, row, sql, type SqlRunner, type WriteTransaction } from '#libs/database';
import { ApplicationError } from '#libs/observability';
import type { EventRegistry, RecordedEvent } from './event.js';
import { EventReader } from './read-events.js';

/** What a key was used for, and the positions of its events. */
@Entity('idempotency_keys')
@Index('idempotency_keys_age', ['createdAt'])
class IdempotencyKey {
  @PrimaryColumn(columnTypes.text) readonly scope!: string;
  @PrimaryColumn(columnTypes.text) readonly key!: string;
  @Column(columnTypes.text) readonly fingerprint!: string;
  @Column(columnTypes.int64) readonly firstPosition!: bigint;
  @Column(columnTypes.int64) readonly lastPosition!: bigint;
  @Column(columnTypes.time) readonly createdAt!: Date;
}

const table = entityTable(IdempotencyKey);

/** Makes an append happen once: the key is stored in the append's transaction. */
export interface Idempotency {
  /** Whose key it is, such as the id of an API key. */
  readonly scope: string;
  readonly key: string;
  /** A digest of the request's values; a repeat with another one is refused. */
  readonly fingerprint: string;
}

/** The key of a request whose values are not known yet. */
export type RequestIdempotency = Omit<Idempotency, 'fingerprint'>;

export class IdempotencyKeyReusedError extends ApplicationError {
  override readonly name = 'IdempotencyKeyReusedError';

  constructor() {
    super('idempotency_key_reused', 'This Idempotency-Key was used with another body; use a new key for a new request.');
  }
}

export class IdempotencyKeyInProgressError extends ApplicationError {
  override readonly name = 'IdempotencyKeyInProgressError';

  constructor() {
    super('idempotency_key_in_progress', 'A request with this Idempotency-Key is still running; repeat it when that one has ended.', {
      headers: { 'retry-after': '1' },
    });
  }
}

/** Keeps each key for so many milliseconds, in which a repeated request is recognised. */
export function idempotencyKeyRetention(keepFor: number): RetentionRule {
  return { entity: IdempotencyKey, since: 'createdAt', keepFor };
}

/** Makes one name of a scope and a key. The length of the scope keeps two pairs from having one name. */
export function idempotencyName({ scope, key }: RequestIdempotency): string {
  return `${scope.length}:${scope}${key}`;
}

/** Returns the stored ones among the keys, by `idempotencyName`. */
export async function findIdempotencyKeys(runner: SqlRunner, wanted: readonly RequestIdempotency[]): Promise<Map<string, IdempotencyKey>> {
  if (wanted.length === 0) return new Map();
  const pairs = join(wanted.map(({ scope, key }) => row([scope, key])));
  const found = await table.read(runner, table.quoted, sql`WHERE ("scope", "key") IN (VALUES ${pairs})`);
  return new Map(found.map((stored) => [idempotencyName(stored), stored]));
}

/** Stores the keys of requests whose events are appended in the same transaction. */
export function insertIdempotencyKeys(
  transaction: WriteTransaction,
  entries: readonly { readonly idempotency: Idempotency; readonly events: readonly RecordedEvent[] }[],
  createdAt: Date,
): void {
  const rows = entries.map(({ idempotency, events }) => ({
    ...idempotency,
    firstPosition: events.at(0)?.position ?? 0n,
    lastPosition: events.at(-1)?.position ?? 0n,
    createdAt,
  }));
  table.insert(transaction, rows);
}

/**
 * Returns the events that the first request with a stored key recorded.
 * @throws IdempotencyKeyReusedError for a request with other values
 */
export async function readReplayedEvents(
  runner: SqlRunner,
  registry: EventRegistry,
  { fingerprint, stored }: Pick<Idempotency, 'fingerprint'> & { readonly stored: IdempotencyKey },
): Promise<RecordedEvent[]> {
  if (fingerprint !== stored.fingerprint) throw new IdempotencyKeyReusedError();
  return new EventReader(runner, registry).readAll({ after: stored.firstPosition - 1n, until: stored.lastPosition });
}
