import { Injectable } from '@nestjs/common';
import { Database, DatabaseUnavailableError, isOneOf, sql, type Committed } from '#libs/database';
import { context, ROOT_CONTEXT } from '@opentelemetry/api';
import { currentSpan, formatTraceparent, inChildSpan, inSpan } from '#libs/observability';
import {
  countAppended,
  InlineProjections,
  writeAppendGroup,
  type AppendOptions,
  type AppendRequest,
  type AppendResult,
  type StreamAppend,
} from './append-group.js';
import { EventRegistry, type DomainEvent, type Evolution, type RecordedEvent, type StreamState } from './event.js';
import { CommitMetrics, GroupCommit, type Outcome } from './group-commit.js';
import {
  findIdempotencyKeys,
  IdempotencyKeyInProgressError,
  idempotencyName,
  readReplayedEvents,
  type Idempotency,
} from './idempotency-keys.js';
import { LogHistory } from './log-history.js';
import {
  eventsTable,
  readAll,
  readHistories,
  readNewest,
  readParts,
  selectEvents,
  type HistoryPage,
  type NewestOptions,
  type ReadAllOptions,
  type StreamPart,
} from './read-events.js';
import { countPositions, RecordingTimes } from './sequences.js';
import { StreamStates } from './stream-states.js';

/** The log of all facts. Order of positions is order of commits; what is acknowledged is durable. */
@Injectable()
export class EventStore {
  private readonly commits: GroupCommit<AppendRequest, AppendResult>;
  private readonly keysInProgress = new Set<string>();
  private readonly commitListeners = new Set<() => void>();
  private readonly states = new WeakMap<object, StreamStates<unknown>>();

  constructor(
    private readonly database: Database,
    private readonly registry: EventRegistry,
    private readonly projections: InlineProjections,
    private readonly times: RecordingTimes,
    private readonly history: LogHistory,
    private readonly metrics: CommitMetrics,
  ) {
    this.commits = new GroupCommit((requests, deadline) => this.commit(requests, deadline), database.patience);
  }

  /**
   * Appends to several streams in one transaction, all or nothing. Calls that arrive together share one commit;
   * each has its own result.
   * @throws ConcurrencyError if a stream is not at its expected version.
   * @throws IdempotencyKeyReusedError, IdempotencyKeyInProgressError
   * @throws DatabaseUnavailableError
   */
  append(appends: readonly StreamAppend[], options: AppendOptions): Promise<AppendResult> {
    return inChildSpan('append', {}, () => this.appendGuarded(this.traced({ appends, ...options })));
  }

  /**
   * Returns what an append with this key would return if the key is stored, and undefined if it is not. Appends nothing. For a request
   * whose values are refused now, though they were accepted the first time.
   * @throws IdempotencyKeyReusedError
   */
  async findReplay(idempotency: Idempotency): Promise<AppendResult | undefined> {
    const [stored] = (await findIdempotencyKeys(this.database.reader, [idempotency])).values();
    if (!stored) return undefined;
    return { events: await readReplayedEvents(this.database.reader, this.registry, { ...idempotency, stored }), replayed: true };
  }

  /**
   * Returns the current state of a stream, at the cost of the events since it was last read. A stream without events is in the decider's
   * initial state. States are shared by all readers, so neither `evolve` nor a caller may change one.
   */
  readState<State, Event extends DomainEvent>(decider: Evolution<State, Event>, stream: string): Promise<StreamState<State>> {
    let states = this.states.get(decider) as StreamStates<State> | undefined;
    if (!states) {
      states = new StreamStates<State>(this.database, this.registry, decider);
      this.states.set(decider, states as StreamStates<unknown>);
    }
    return states.load(stream);
  }

  /** Returns the events of one stream in order. */
  readStream(stream: string): Promise<RecordedEvent[]> {
    return this.readStreams([stream]);
  }

  /** Returns the events of these streams, ascending by position, with one statement. */
  async readStreams(streams: readonly string[]): Promise<RecordedEvent[]> {
    if (streams.length === 0) return [];
    return selectEvents(this.database.reader, this.registry, sql`WHERE "stream_id" ${isOneOf(streams)} ORDER BY "position"`);
  }

  /** Returns the events of at most 100 parts of streams, ascending by position, with one statement. */
  readParts(parts: readonly StreamPart[]): Promise<RecordedEvent[]> {
    return readParts(this.database.reader, this.registry, parts);
  }

  /** Returns the same page of each of these streams, with one statement. */
  readHistories(streams: readonly string[], page: HistoryPage): Promise<RecordedEvent[]> {
    return readHistories(this.database.reader, this.registry, streams, page);
  }

  /** Returns events of all streams, ascending by position. */
  readAll(options: ReadAllOptions): Promise<RecordedEvent[]> {
    return readAll(this.database.reader, this.registry, options);
  }

  /** Returns the newest events, the newest first. */
  readNewest(options: NewestOptions): Promise<RecordedEvent[]> {
    return readNewest(this.database.reader, this.registry, options);
  }

  /** Counts the events of these types after one position and up to another. */
  async count({
    types,
    after,
    until,
  }: {
    readonly types: readonly string[];
    readonly after: bigint;
    readonly until: bigint;
  }): Promise<bigint> {
    if (types.length === 0) return 0n;
    const [row] = await this.database.reader.query<{ total: bigint | string }>(
      sql`SELECT count(*) AS "total" FROM ${eventsTable} WHERE "type" ${isOneOf(types)} AND "position" > ${after} AND "position" <= ${until}`,
    );
    return BigInt(row?.total ?? 0);
  }

  /** Counts the positions after one and up to another that were given out. */
  countPositions(range: { readonly after: bigint; readonly until: bigint }): Promise<bigint> {
    return countPositions(this.database.reader, range);
  }

  /** Returns the position of the newest committed event, 0 for an empty log. */
  lastPosition(): Promise<bigint> {
    return this.history.look();
  }

  /**
   * Calls `listener` soon after this instance has committed events. Commits of other instances are not announced: whoever follows the log
   * polls it too.
   * @returns a function that ends it
   */
  onCommit(listener: () => void): () => void {
    this.commitListeners.add(listener);
    return () => this.commitListeners.delete(listener);
  }

  /** A span of this service replaces the traceparent of the client, which is above it. */
  private traced(request: Omit<AppendRequest, 'span'>): AppendRequest {
    const span = currentSpan();
    if (!span) return { ...request, span };
    return { ...request, span, metadata: { ...request.metadata, traceparent: formatTraceparent(span.spanContext()) } };
  }

  private async appendGuarded(request: AppendRequest): Promise<AppendResult> {
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

  /** Commits a group in a span below that of its first request; the spans of the others are linked to it. */
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

  /** Commits a group at once. If that fails for a reason other than the database, commits each request alone, so that the others succeed. */
  private async commitTogether(requests: readonly AppendRequest[], deadline: number): Promise<Committed<Outcome<AppendResult>[]>> {
    const startedAt = performance.now();
    const { registry, projections, times, history } = this;
    try {
      const { result: outcomes, durable } = await this.database.commit(
        (transaction) => writeAppendGroup(transaction, requests, { registry, projections, times, history }),
        { deadline },
      );
      return { result: outcomes, durable: this.reportCommit(outcomes, durable, startedAt) };
    } catch (error) {
      this.metrics.failed();
      if (requests.length === 1 || error instanceof DatabaseUnavailableError) throw error;
      const outcomes: Outcome<AppendResult>[] = [];
      for (const request of requests) outcomes.push(...(await this.commitAlone(request, deadline)));
      return { result: outcomes, durable: Promise.resolve() };
    }
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

  /** Tells metrics, log history and listeners of a commit as soon as it is durable. */
  private async reportCommit(outcomes: readonly Outcome<AppendResult>[], durable: Promise<void>, startedAt: number): Promise<void> {
    try {
      await durable;
    } catch (error) {
      this.metrics.failed();
      throw error;
    }
    const { events, last } = countAppended(outcomes);
    if (last) this.history.note(last);
    this.metrics.committed({ appends: outcomes.length, events, seconds: (performance.now() - startedAt) / 1_000 });
    if (this.commitListeners.size === 0) return;
    // In a turn of its own: a listener that throws does not fail the commit.
    setImmediate(() => {
      for (const listener of this.commitListeners) listener();
    });
  }
}
