import { randomUUID } from 'node:crypto';
import { join, sql, type WriteTransaction } from '#libs/database';
import type { RecordedEvent } from './event.js';
import { eventsTable, insertEvents, selectEvents } from './event-row.js';
import type { EventRegistry } from './event-registry.js';
import { ConcurrencyError, IdempotencyKeyReusedError } from './event-store.errors.js';
import type { AppendOptions, AppendResult, StreamAppend } from './event-store.js';
import type { Outcome } from './group-commit.js';
import { findIdempotencyKeys, idempotencyName, insertIdempotencyKeys, type StoredIdempotencyKey } from './idempotency-keys.js';
import type { InlineProjections } from './inline-projections.js';
import { Sequences } from './sequences.js';

/** One call of `append`. */
export interface AppendRequest extends AppendOptions {
  readonly appends: readonly StreamAppend[];
}

export interface AppendDependencies {
  readonly registry: EventRegistry;
  readonly projections: InlineProjections;
  readonly now: Date;
}

/**
 * Writes a group of append requests in one open transaction: positions, versions and ids are assigned under its write
 * lock. A request in conflict gets its error and leaves nothing behind; the others are not touched by it.
 */
export async function writeAppendGroup(
  transaction: WriteTransaction,
  requests: readonly AppendRequest[],
  { registry, projections, now }: AppendDependencies,
): Promise<Outcome<AppendResult>[]> {
  const sequences = await Sequences.load(transaction);
  const keys = await findIdempotencyKeys(
    transaction,
    requests.flatMap(({ idempotency }) => idempotency ?? []),
  );
  const versions = await streamVersions(transaction, requests);
  const outcomes: Outcome<AppendResult>[] = [];
  const accepted: { request: AppendRequest; events: readonly RecordedEvent[] }[] = [];

  for (const request of requests) {
    const stored = request.idempotency && keys.get(idempotencyName(request.idempotency));
    const conflict = stored ? undefined : findConflict(request, versions);
    if (stored) outcomes.push(await replay(transaction, request, stored, registry));
    else if (conflict) outcomes.push({ error: conflict });
    else {
      const events = recordEvents(request, { sequences, versions, registry, now });
      accepted.push({ request, events });
      outcomes.push({ result: { events, replayed: false } });
    }
  }

  await writeAccepted(transaction, accepted, { sequences, projections, now });
  return outcomes;
}

async function writeAccepted(
  transaction: WriteTransaction,
  accepted: readonly { request: AppendRequest; events: readonly RecordedEvent[] }[],
  { sequences, projections, now }: { sequences: Sequences; projections: InlineProjections; now: Date },
): Promise<void> {
  const events = accepted.flatMap((entry) => entry.events);
  if (events.length > 0) {
    await insertEvents(transaction, events);
    // Before the sequences are saved: what they hold tells the projections whether they have missed an append of another build.
    await projections.project(events, transaction);
    for (const { type, position } of events) sequences.noteNewest(type, position);
    await sequences.save(transaction);
  }
  const keyed = accepted.flatMap(({ request: { idempotency }, events: recorded }) =>
    idempotency ? { idempotency, events: recorded } : [],
  );
  await insertIdempotencyKeys(transaction, keyed, now);
  for (const { request, events: recorded } of accepted) await request.alongside?.(transaction, recorded);
}

/** The versions of the existing streams that the requests name. */
async function streamVersions(transaction: WriteTransaction, requests: readonly AppendRequest[]): Promise<Map<string, number>> {
  const streams = requests.flatMap(({ appends }) => appends.flatMap(({ stream }) => (typeof stream === 'string' ? stream : [])));
  if (streams.length === 0) return new Map();
  const rows = await transaction.query<{ stream_id: string; version: bigint | string }>(
    sql`SELECT "stream_id", max("stream_version") AS "version" FROM ${eventsTable}
        WHERE "stream_id" IN (${join(streams)}) GROUP BY "stream_id"`,
  );
  return new Map(rows.map(({ stream_id, version }) => [stream_id, Number(version)]));
}

function findConflict(request: AppendRequest, versions: ReadonlyMap<string, number>): ConcurrencyError | undefined {
  const seen = new Map<string, number>();
  for (const { stream, expectedVersion, events } of request.appends) {
    if (typeof stream !== 'string') continue;
    const actual = seen.get(stream) ?? versions.get(stream) ?? 0;
    const expected = expectedVersion === 'noStream' ? 0 : expectedVersion;
    if (expected !== 'any' && expected !== actual) return new ConcurrencyError(stream, expectedVersion, actual);
    seen.set(stream, actual + events.length);
  }
  return undefined;
}

interface Recording {
  readonly sequences: Sequences;
  readonly versions: Map<string, number>;
  readonly registry: EventRegistry;
  readonly now: Date;
}

function recordEvents(request: AppendRequest, { sequences, versions, registry, now }: Recording): RecordedEvent[] {
  return request.appends.flatMap((append) => {
    const stream = typeof append.stream === 'string' ? append.stream : `${append.stream.newIn}-${sequences.nextId(append.stream.newIn)}`;
    return append.events.map(({ type, data }) => {
      const version = (versions.get(stream) ?? 0) + 1;
      versions.set(stream, version);
      return {
        position: sequences.nextPosition(),
        stream,
        version,
        eventId: randomUUID(),
        type,
        schemaVersion: registry.schemaVersionOf(type),
        data,
        metadata: request.metadata,
        recordedAt: now,
      };
    });
  });
}

async function replay(
  transaction: WriteTransaction,
  request: AppendRequest,
  stored: StoredIdempotencyKey,
  registry: EventRegistry,
): Promise<Outcome<AppendResult>> {
  if (request.idempotency?.fingerprint !== stored.fingerprint) return { error: new IdempotencyKeyReusedError() };
  const { firstPosition, lastPosition } = stored;
  const condition = sql`WHERE "position" BETWEEN ${firstPosition} AND ${lastPosition} ORDER BY "position"`;
  return { result: { events: await selectEvents(transaction, registry, condition), replayed: true } };
}
