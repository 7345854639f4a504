import { Database, DatabaseUnavailableError, isOneOf, join, sql, type Committed, type SqlFragment } from '#libs/database';
import { Injectable } from '@nestjs/common';
import { context, ROOT_CONTEXT } from '@opentelemetry/api';
import { currentSpan, formatTraceparent, inChildSpan, inSpan } from '#libs/tracing';
import { writeAppendGroup, type AppendRequest } from './append-group.js';
import type { Evolution } from './decider.js';
import type { DomainEvent, RecordedEvent } from './event.js';
import { eventsTable, selectEvents } from './event-row.js';
import { EventRegistry } from './event-registry.js';
import { EventStoreMetrics } from './event-store.metrics.js';
import { countPositions } from './later-histories.js';
import { LogHistory } from './log-history.js';
import { IdempotencyKeyInProgressError } from './event-store.errors.js';
import {
  EventStore,
  type AppendOptions,
  type AppendResult,
  type HistoryPage,
  type Idempotency,
  type NewestOptions,
  type ReadAllOptions,
  type StreamAppend,
  type StreamPart,
} from './event-store.js';
import { GroupCommit, type Outcome } from './group-commit.js';
import { findIdempotencyKeys, idempotencyName, replayOf } from './idempotency-keys.js';
import { InlineProjections } from './inline-projections.js';
import { readHistories } from './read-histories.js';
import { readEventsOfTypes, readLog } from './read-log.js';
import { RecordingTimes } from './recording-times.js';
import { StreamStates, type StreamState } from './stream-states.js';

/** The event store on TypeORM. */
@Injectable()
export class SqlEventStore extends EventStore {
  private readonly commits: GroupCommit<AppendRequest, AppendResult>;
  private readonly keysInProgress = new Set<string>();
  private readonly commitListeners = new Set<() => void>();
  private readonly states = new WeakMap<object, StreamStates<unknown>>();

  constructor(
    private readonly database: Database,
    readonly registry: EventRegistry,
    readonly projections: InlineProjections,
    readonly times: RecordingTimes,
    readonly history: LogHistory,
    private readonly metrics: EventStoreMetrics,
  ) {
    super();
    this.commits = new GroupCommit((requests, deadline) => this.commit(requests, deadline), database.patience);
  }

  append(appends: readonly StreamAppend[], options: AppendOptions): Promise<AppendResult> {
    return inChildSpan('append', {}, () => this.appendOnce(this.traced({ appends, ...options })));
  }

  async findReplay(idempotency: Idempotency): Promise<AppendResult | undefined> {
    const [stored] = (await findIdempotencyKeys(this.database.reader, [idempotency])).values();
    return stored && replayOf(this.database.reader, this.registry, { ...idempotency, stored });
  }

  readState<State, Event extends DomainEvent>(decider: Evolution<State, Event>, stream: string): Promise<StreamState<State>> {
    const states = (this.states.get(decider) as StreamStates<State> | undefined) ?? this.beginStates(decider);
    return states.load(stream);
  }

  readStream(stream: string): Promise<RecordedEvent[]> {
    return this.readStreams([stream]);
  }

  async readStreams(streams: readonly string[]): Promise<RecordedEvent[]> {
    if (streams.length === 0) return [];
    return this.read(sql`WHERE "stream_id" ${isOneOf(streams)} ORDER BY "position"`);
  }

  async readParts(parts: readonly StreamPart[]): Promise<RecordedEvent[]> {
    if (parts.length === 0) return [];
    const conditions = parts.map(
      ({ stream, after, until }) => sql`("stream_id" = ${stream} AND "stream_version" > ${after} AND "stream_version" <= ${until})`,
    );
    return this.read(sql`WHERE ${join(conditions, ' OR ')} ORDER BY "position"`);
  }

  readHistories(streams: readonly string[], page: HistoryPage): Promise<RecordedEvent[]> {
    return readHistories(this.database.reader, this.registry, streams, page);
  }

  async readAll({ after = 0n, limit, stream, types }: ReadAllOptions): Promise<RecordedEvent[]> {
    const { reader } = this.database;
    if (types?.length === 0) return [];
    if (stream === undefined) {
      const page = { after, limit };
      return types ? readEventsOfTypes(reader, this.registry, { ...page, types }) : readLog(reader, this.registry, page);
    }
    const ofTypes = types ? sql`AND "type" ${isOneOf(types)}` : sql``;
    return this.read(sql`WHERE "stream_id" = ${stream} AND "position" > ${after} ${ofTypes} ORDER BY "position" LIMIT ${limit}`);
  }

  readNewest({ limit, stream, type }: NewestOptions): Promise<RecordedEvent[]> {
    const ofType = sql`"type" = ${type ?? ''}`;
    const newest = sql`ORDER BY "position" DESC LIMIT ${limit}`;
    if (stream === undefined) return this.read(type === undefined ? newest : sql`WHERE ${ofType} ${newest}`);
    const andOfType = type === undefined ? sql`` : sql`AND ${ofType}`;
    // Which is the order of positions within a stream, and that of an index.
    return this.read(sql`WHERE "stream_id" = ${stream} ${andOfType} ORDER BY "stream_version" DESC LIMIT ${limit}`);
  }

  async count({ types, after, until }: Parameters<EventStore['count']>[0]): Promise<bigint> {
    if (types.length === 0) return 0n;
    const [row] = await this.database.reader.query<{ total: bigint | string }>(
      sql`SELECT count(*) AS "total" FROM ${eventsTable} WHERE "type" ${isOneOf(types)} AND "position" > ${after} AND "position" <= ${until}`,
    );
    return BigInt(row?.total ?? 0);
  }

  countPositions(range: Parameters<EventStore['countPositions']>[0]): Promise<bigint> {
    return countPositions(this.database.reader, range);
  }

  async lastPosition(): Promise<bigint> {
    return this.history.look();
  }

  onCommit(listener: () => void): () => void {
    this.commitListeners.add(listener);
    return () => this.commitListeners.delete(listener);
  }

  private beginStates<State, Event extends DomainEvent>(decider: Evolution<State, Event>): StreamStates<State> {
    // Events of a newer build are left to `evolve`, which passes over them.
    const states = new StreamStates(this.database, this.registry, decider);
    this.states.set(decider, states as StreamStates<unknown>);
    return states;
  }

  private read(condition: SqlFragment): Promise<RecordedEvent[]> {
    return selectEvents(this.database.reader, this.registry, condition);
  }

  /** What is traced here tells of itself, since that is below what the client said. */
  private traced(request: Omit<AppendRequest, 'span'>): AppendRequest {
    const span = currentSpan();
    return span
      ? { ...request, span, metadata: { ...request.metadata, traceparent: formatTraceparent(span.spanContext()) } }
      : { ...request, span };
  }

  private async appendOnce(request: AppendRequest): Promise<AppendResult> {
    const { idempotency } = request;
    if (!idempotency) return this.commits.add(request);
    const name = idempotencyName(idempotency);
    if (this.keysInProgress.has(name)) throw new IdempotencyKeyInProgressError();
    this.keysInProgress.add(name);
    try {
      return await this.commits.add(request);
    } finally {
      this.keysInProgress.delete(name);
    }
  }

  /** In a span below that of the first of the group, to which and from which those of the others have links. */
  private commit(requests: readonly AppendRequest[], deadline: number): Promise<Committed<Outcome<AppendResult>[]>> {
    const [first, ...others] = requests.flatMap(({ span }) => (span?.isRecording() ? span : []));
    if (!first) return context.with(ROOT_CONTEXT, () => this.commitTogether(requests, deadline));
    const links = others.map((span) => ({ context: span.spanContext() }));
    return inSpan('commit', { links }, first.spanContext(), () => {
      const commit = currentSpan();
      if (commit) for (const span of others) span.addLink({ context: commit.spanContext() });
      return this.commitTogether(requests, deadline);
    });
  }

  /** Commits a group at once; when that fails for one of them, each alone, so that nobody pays for a neighbour. */
  private async commitTogether(requests: readonly AppendRequest[], deadline: number): Promise<Committed<Outcome<AppendResult>[]>> {
    const startedAt = performance.now();
    try {
      const { result: outcomes, durable } = await this.database.commit((transaction) => writeAppendGroup(transaction, requests, this), {
        deadline,
      });
      return { result: outcomes, durable: this.countCommit(outcomes, durable, startedAt) };
    } catch (error) {
      this.metrics.failed();
      if (requests.length === 1 || error instanceof DatabaseUnavailableError) throw error;
      return { result: await this.commitEachAlone(requests, deadline), durable: Promise.resolve() };
    }
  }

  private async countCommit(outcomes: readonly Outcome<AppendResult>[], durable: Promise<void>, startedAt: number): Promise<void> {
    try {
      await durable;
    } catch (error) {
      this.metrics.failed();
      throw error;
    }
    const seconds = (performance.now() - startedAt) / 1_000;
    this.noteNewest(outcomes);
    this.metrics.committed({ appends: outcomes.length, events: countAppended(outcomes), seconds });
    this.announceCommit();
  }

  private noteNewest(outcomes: readonly Outcome<AppendResult>[]): void {
    const appended = outcomes.flatMap((outcome) => ('result' in outcome && !outcome.result.replayed ? outcome.result.events : []));
    const last = appended.at(-1);
    if (last) this.history.note(last);
  }

  /** In a turn of its own: a listener that throws is no failure of the commit. */
  private announceCommit(): void {
    if (this.commitListeners.size === 0) return;
    setImmediate(() => {
      for (const listener of this.commitListeners) listener();
    });
  }

  private async commitEachAlone(requests: readonly AppendRequest[], deadline: number): Promise<Outcome<AppendResult>[]> {
    const outcomes: Outcome<AppendResult>[] = [];
    for (const request of requests) outcomes.push(...(await this.commitAlone(request, deadline)));
    return outcomes;
  }

  private async commitAlone(request: AppendRequest, deadline: number): Promise<Outcome<AppendResult>[]> {
    try {
      const { result, durable } = await this.commit([request], deadline);
      await durable;
      return result;
    } catch (error) {
      return [{ error }];
    }
  }
}

function countAppended(outcomes: readonly Outcome<AppendResult>[]): number {
  return outcomes.reduce(
    (total, outcome) => ('result' in outcome && !outcome.result.replayed ? total + outcome.result.events.length : total),
    0,
  );
}
