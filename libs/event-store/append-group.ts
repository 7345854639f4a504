import { randomUUID } from 'node:crypto';
import { isOneOf, pipelined, sql, type WriteTransaction } from '#libs/database';
import type { Span } from '@opentelemetry/api';
import type { RecordedEvent } from './event.js';
import { eventsTable, insertEvents } from './event-row.js';
import type { EventRegistry } from './event-registry.js';
import { ConcurrencyError, IdempotencyKeyReusedError } from './event-store.errors.js';
import type { AppendOptions, AppendResult, StreamAppend } from './event-store.js';
import type { Outcome } from './group-commit.js';
import { findIdempotencyKeys, idempotencyName, insertIdempotencyKeys, replayOf } from './idempotency-keys.js';
import type { InlineProjections, ProjectionsOfAppend } from './inline-projections.js';
import type { LogHistory } from './log-history.js';
import type { RecordingTimes } from './recording-times.js';
import { Sequences, type SeenLog } from './sequences.js';

/** One call of `append`. */
export interface AppendRequest extends AppendOptions {
  readonly appends: readonly StreamAppend[];
  /** The span that waits for it, if there is one. */
  readonly span: Span | undefined;
}

export interface AppendDependencies {
  readonly registry: EventRegistry;
  readonly projections: InlineProjections;
  readonly times: RecordingTimes;
  readonly history: LogHistory;
}

/**
 * Writes a group of append requests in one open transaction: positions, versions, ids and times are assigned under its write
 * lock. A request in conflict gets its error and leaves nothing behind; the others are not touched by it. What is read is asked for
 * at once, and so is what is written: on PostgreSQL a group of 16 took 10 round trips, and takes three.
 */
export async function writeAppendGroup(
  transaction: WriteTransaction,
  requests: readonly AppendRequest[],
  { registry, projections, times, history }: AppendDependencies,
): Promise<Outcome<AppendResult>[]> {
  const { seen } = history;
  const [sequences, keys, versions, projecting] = await readTogether(transaction, requests, { projections, seen });
  if (!sequences.holdsNewest) history.lookLater(seen.newest);
  const now = times.now();
  const recordedAt = times.following(sequences.newestTime, now);
  const outcomes: Outcome<AppendResult>[] = [];
  const accepted: { request: AppendRequest; events: readonly RecordedEvent[] }[] = [];

  for (const request of requests) {
    const stored = request.idempotency && keys.get(idempotencyName(request.idempotency));
    const conflict = stored ? undefined : findConflict(request, versions);
    if (request.idempotency && stored) outcomes.push(await replay(transaction, registry, { ...request.idempotency, stored }));
    else if (conflict) outcomes.push({ error: conflict });
    else {
      const events = recordEvents(request, { sequences, versions, registry, recordedAt });
      accepted.push({ request, events });
      outcomes.push({ result: { events, replayed: false } });
    }
  }

  await writeAccepted(transaction, accepted, { sequences, projecting, now });
  if (sequences.begunHistory) history.tellBegun(sequences.begunHistory);
  return outcomes;
}

function readTogether(
  transaction: WriteTransaction,
  requests: readonly AppendRequest[],
  { projections, seen }: { readonly projections: InlineProjections; readonly seen: SeenLog },
) {
  const idempotencies = requests.flatMap(({ idempotency }) => idempotency ?? []);
  const types = new Set(requests.flatMap(({ appends }) => appends.flatMap(({ events }) => events.map(({ type }) => type))));
  return Promise.all([
    Sequences.load(transaction, seen),
    findIdempotencyKeys(transaction, idempotencies),
    streamVersions(transaction, requests),
    projections.begin(types, transaction),
  ]);
}

async function writeAccepted(
  transaction: WriteTransaction,
  accepted: readonly { request: AppendRequest; events: readonly RecordedEvent[] }[],
  { sequences, projecting, now }: { sequences: Sequences; projecting: ProjectionsOfAppend; now: Date },
): Promise<void> {
  const events = accepted.flatMap((entry) => entry.events);
  for (const { type, position } of events) sequences.noteNewest(type, position);
  const keyed = accepted.flatMap(({ request: { idempotency }, events: recorded }) =>
    idempotency ? { idempotency, events: recorded } : [],
  );
  await pipelined([
    insertEvents(transaction, events),
    projecting.project(events),
    sequences.save(transaction),
    insertIdempotencyKeys(transaction, keyed, now),
  ]);
  for (const { request, events: recorded } of accepted) await request.withinTransaction?.(transaction, recorded);
}

/** The versions of the existing streams that the requests name. */
async function streamVersions(transaction: WriteTransaction, requests: readonly AppendRequest[]): Promise<Map<string, number>> {
  const streams = requests.flatMap(({ appends }) => appends.flatMap(({ stream }) => (typeof stream === 'string' ? stream : [])));
  if (streams.length === 0) return new Map();
  const rows = await transaction.query<{ stream_id: string; version: bigint | string }>(
    sql`SELECT "stream_id", max("stream_version") AS "version" FROM ${eventsTable}
        WHERE "stream_id" ${isOneOf(streams)} GROUP BY "stream_id"`,
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
  readonly recordedAt: Date;
}

function recordEvents(request: AppendRequest, { sequences, versions, registry, recordedAt }: Recording): RecordedEvent[] {
  const newIds: bigint[] = [];
  const streams = request.appends.map(({ stream }) => {
    if (typeof stream === 'string') return stream;
    const id = sequences.nextId(stream.newIn);
    newIds.push(id);
    return `${stream.newIn}-${id}`;
  });
  return request.appends.flatMap((append, index) => {
    const stream = streams[index] ?? '';
    return append.events.map(({ type, data }) => {
      const version = (versions.get(stream) ?? 0) + 1;
      versions.set(stream, version);
      return {
        position: sequences.nextPosition(recordedAt),
        stream,
        version,
        eventId: randomUUID(),
        type,
        schemaVersion: registry.schemaVersionOf(type),
        data: typeof data === 'function' ? (data as DataOfNewIds)(newIds) : data,
        metadata: request.metadata,
        recordedAt,
      };
    });
  });
}

type DataOfNewIds = (newIds: readonly bigint[]) => object;

async function replay(...repeated: Parameters<typeof replayOf>): Promise<Outcome<AppendResult>> {
  try {
    return { result: await replayOf(...repeated) };
  } catch (error) {
    if (error instanceof IdempotencyKeyReusedError) return { error };
    throw error;
  }
}
