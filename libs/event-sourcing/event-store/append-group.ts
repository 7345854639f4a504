import { randomUUID } from 'node:crypto';
import { ApplicationError } from '#libs/observability';
import { isOneOf, sql, type ManagedTransaction, type WriteTransaction } from '#libs/database';
import type { Span } from '@opentelemetry/api';
import type { ReadModels } from '../projections/read-models.js';
import type { EventMetadata, EventRegistry, RecordedEvent } from './event.js';
import type { Outcome } from './group-commit.js';
import { findIdempotencyKeys, idempotencyName, insertIdempotencyKeys, readReplayedEvents, type Idempotency } from './idempotency-keys.js';
import type { LogHistory } from './log-history.js';
import { eventsTable, insertEvents } from './read-events.js';
import { Sequences, type RecordingTimes } from './sequences.js';

/** A stream that does not exist yet: its id `category-N` gets the next N of the category, never used before. */
interface NewStream {
  readonly newIn: string;
}

/** A fact to append. Its data may be made of the ids that the new streams of the same append are given, in the order of the appends. */
export interface NewEvent {
  readonly type: string;
  readonly data: object | ((newIds: readonly bigint[]) => object);
}

export interface StreamAppend {
  readonly stream: string | NewStream;
  /** How many events the stream must have. Default 0: it does not exist. If it is named twice, the second counts the events of the first. */
  readonly expectedVersion?: number;
  readonly events: readonly NewEvent[];
}

export interface AppendOptions {
  readonly metadata: EventMetadata;
  /** If its key is stored, nothing is appended, and the result is that of the first request. */
  readonly idempotency?: Idempotency | undefined;
  /** Further writes that commit with the events or not at all. */
  readonly withinTransaction?: ((transaction: ManagedTransaction, events: readonly RecordedEvent[]) => Promise<void>) | undefined;
}

export interface AppendResult {
  /** In the order of the appends. For a replay, the events that the first request recorded. */
  readonly events: readonly RecordedEvent[];
  /** True if the idempotency key was already stored and nothing was appended now. */
  readonly replayed: boolean;
}

/** One call of `append` or `execute`. */
export interface AppendRequest extends AppendOptions {
  readonly appends: readonly StreamAppend[];
  /** The span that waits for it, if there is one. */
  readonly span: Span | undefined;
}

/** A stream was not at the version its writer expected: another writer came first. */
export class ConcurrencyError extends ApplicationError {
  override readonly name = 'ConcurrencyError';

  constructor(
    readonly stream: string,
    readonly expected: string | number,
    readonly actual: number,
  ) {
    super('conflict', `Another change of ${stream} came first and nothing was changed; send it again.`);
  }
}

interface AppendDependencies {
  readonly registry: EventRegistry;
  readonly readModels: ReadModels;
  readonly times: RecordingTimes;
  readonly history: LogHistory;
}

interface Accepted {
  readonly request: AppendRequest;
  readonly events: readonly RecordedEvent[];
}

/**
 * Writes a group of append requests in one open transaction: positions, versions, ids and times are assigned under its write
 * lock. A request in conflict gets its error and stores nothing; the others are not affected. All reads are sent at once, and so
 * are all writes with the commit: two round trips on PostgreSQL, whatever the size of the group.
 */
export async function writeAppendGroup(
  transaction: ManagedTransaction,
  requests: readonly AppendRequest[],
  { registry, readModels, times, history }: AppendDependencies,
): Promise<Outcome<AppendResult>[]> {
  const types = new Set(requests.flatMap(({ appends }) => appends.flatMap(({ events }) => events.map(({ type }) => type))));
  const [sequences, keys, versions, applyEvents] = await Promise.all([
    Sequences.load(transaction, newCategories(requests), history.highest),
    findIdempotencyKeys(
      transaction,
      requests.flatMap(({ idempotency }) => idempotency ?? []),
    ),
    readStreamVersions(transaction, requests),
    readModels.begin(types, transaction),
  ]);
  const now = times.now();
  const recordedAt = times.following(sequences.newestTime, now);
  const outcomes: Outcome<AppendResult>[] = [];
  const accepted: Accepted[] = [];

  for (const request of requests) {
    const stored = request.idempotency && keys.get(idempotencyName(request.idempotency));
    const conflict = stored ? undefined : findConflict(request, versions);
    if (request.idempotency && stored) outcomes.push(await replay(transaction, registry, { ...request.idempotency, stored }));
    else if (conflict) outcomes.push({ error: conflict });
    else {
      const events = recordEvents(request, versions, { sequences, registry, recordedAt });
      accepted.push({ request, events });
      outcomes.push({ result: { events, replayed: false } });
    }
  }

  const events = accepted.flatMap((entry) => entry.events);
  for (const { type, position } of events) sequences.noteNewest(type, position);
  const keyed = accepted.flatMap(({ request: { idempotency }, events: recorded }) =>
    idempotency ? { idempotency, events: recorded } : [],
  );
  insertEvents(transaction, events);
  sequences.save(transaction);
  insertIdempotencyKeys(transaction, keyed, now);
  await applyEvents(events);
  for (const { request, events: recorded } of accepted) await request.withinTransaction?.(transaction, recorded);
  if (sequences.hasBegunHistory) history.lookLater();
  return outcomes;
}

function newCategories(requests: readonly AppendRequest[]): string[] {
  return requests.flatMap(({ appends }) => appends.flatMap(({ stream }) => (typeof stream === 'string' ? [] : stream.newIn)));
}

/** Returns the versions of the existing streams that the requests name. */
async function readStreamVersions(transaction: WriteTransaction, requests: readonly AppendRequest[]): Promise<Map<string, number>> {
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
  for (const { stream, expectedVersion = 0, events } of request.appends) {
    if (typeof stream !== 'string') continue;
    const actual = seen.get(stream) ?? versions.get(stream) ?? 0;
    if (expectedVersion !== actual) return new ConcurrencyError(stream, expectedVersion, actual);
    seen.set(stream, actual + events.length);
  }
  return undefined;
}

function recordEvents(
  request: AppendRequest,
  versions: Map<string, number>,
  { sequences, registry, recordedAt }: { sequences: Sequences; registry: EventRegistry; recordedAt: Date },
): RecordedEvent[] {
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
        schemaVersion: registry.getSchemaVersion(type),
        data: typeof data === 'function' ? (data as (newIds: readonly bigint[]) => object)(newIds) : data,
        metadata: request.metadata,
        recordedAt,
      };
    });
  });
}

/** If it fails, so does this request only, or the whole transaction, whose statement has failed. */
function replay(...repeated: Parameters<typeof readReplayedEvents>): Promise<Outcome<AppendResult>> {
  return readReplayedEvents(...repeated).then(
    (events) => ({ result: { events, replayed: true } }),
    (error: unknown) => ({ error }),
  );
}
