import { Injectable } from '@nestjs/common';
import { Database, DatabaseUnavailableError } from '#libs/database';
import { context, ROOT_CONTEXT } from '@opentelemetry/api';
import { currentSpan, formatTraceparent, inChildSpan, inSpan, systemTimers, Timers } from '#libs/observability';
import { ReadModels } from '../projections/read-models.js';
import {
  ConcurrencyError,
  writeAppendGroup,
  type AppendOptions,
  type AppendRequest,
  type AppendResult,
  type StreamAppend,
} from './append-group.js';
import { EventRegistry, type DomainEvent, type Evolution, type StreamState } from './event.js';
import { CommitMetrics, GroupCommit, type Outcome } from './group-commit.js';
import {
  findIdempotencyKeys,
  IdempotencyKeyInProgressError,
  idempotencyName,
  readReplayedEvents,
  type Idempotency,
} from './idempotency-keys.js';
import { LogHistory } from './log-history.js';
import { EventList } from './event-list.js';
import { countPositions, RecordingTimes, type PositionRange } from './sequences.js';
import { StreamStates } from './stream-states.js';

// The longest wait of a write for the lock.
const MAX_WAIT_MILLISECONDS = 5_000;
const MAX_PAUSE_MILLISECONDS = 50;
const NOTHING_APPENDED: AppendResult = { events: [], replayed: false };

/** The log of all facts. Order of positions is order of commits; what is acknowledged is durable. */
@Injectable()
export class EventStore extends EventList {
  private readonly commits: GroupCommit<AppendRequest, AppendResult>;
  private readonly keysInProgress = new Set<string>();
  private readonly commitListeners = new Set<() => void>();
  private readonly states = new WeakMap<object, StreamStates<unknown>>();

  constructor(
    private readonly database: Database,
    registry: EventRegistry,
    private readonly readModels: ReadModels,
    private readonly times: RecordingTimes,
    private readonly history: LogHistory,
    private readonly metrics: CommitMetrics,
    timers: Timers,
  ) {
    super(database.reader, registry);
    this.commits = new GroupCommit((...group) => this.commit(...group), database.maxWaitMilliseconds, timers);
  }

  /**
   * Appends to several streams in one transaction, all or nothing. Calls that arrive together share one commit;
   * each has its own result.
   * @throws ConcurrencyError if a stream is not at its expected version.
   * @throws IdempotencyKeyReusedError, DatabaseUnavailableError
   */
  append(appends: readonly StreamAppend[], options: AppendOptions): Promise<AppendResult> {
    return inChildSpan('append', {}, () => this.commits.add(traced({ appends, ...options, span: currentSpan() })));
  }

  /**
   * Decides and appends; decides again while another writer comes first. With an idempotency key that is stored, returns the first request's
   * events, whatever would be decided now: an animal may have been sold since, or a deadline may have passed.
   * @param decide returns the appends, none if nothing changes. It reads what it depends on each time that it is called.
   * @throws as `decide` does, unless the key is stored
   * @throws ConcurrencyError if other writers came first for five seconds
   * @throws IdempotencyKeyReusedError, IdempotencyKeyInProgressError, DatabaseUnavailableError
   */
  async execute(decide: () => readonly StreamAppend[] | Promise<readonly StreamAppend[]>, options: AppendOptions): Promise<AppendResult> {
    const attempt = async () => {
      const appends = await decide();
      return appends.length === 0 ? NOTHING_APPENDED : this.append(appends, options);
    };
    const { idempotency } = options;
    if (!idempotency) return retryConflicts(attempt);
    return this.whileInProgress(idempotency, async () => {
      // The key is looked up only if nothing is appended: an append finds a stored key under its lock.
      try {
        const result = await retryConflicts(attempt);
        return result === NOTHING_APPENDED ? ((await this.findReplay(idempotency)) ?? result) : result;
      } catch (error) {
        const replay = error instanceof DatabaseUnavailableError ? undefined : await this.findReplay(idempotency);
        if (!replay) throw error;
        return replay;
      }
    });
  }

  /**
   * Returns the state of a stream, at the cost of the events since it was last read. A stream without events is in the decider's initial
   * state. States are shared by all readers, so neither `evolve` nor a caller may change one.
   * @param until after how many of its events. Default: all.
   */
  readState<State, Event extends DomainEvent>(
    decider: Evolution<State, Event>,
    stream: string,
    until?: number,
  ): Promise<StreamState<State>> {
    let states = this.states.get(decider) as StreamStates<State> | undefined;
    if (!states) {
      states = new StreamStates<State>(this.database, this.registry, decider);
      this.states.set(decider, states as StreamStates<unknown>);
    }
    return states.load(stream, until);
  }

  /** Counts the positions after one and up to another that were given out. */
  countPositions(range: PositionRange): Promise<bigint> {
    return countPositions(this.database.reader, range);
  }

  /** Returns the position of the newest committed event, 0 for an empty log. */
  lastPosition(): Promise<bigint> {
    return this.history.look();
  }

  /**
   * Calls `listener` soon after this instance has committed events. Commits of other instances are not announced: a follower
   * of the log polls it too.
   * @returns a function that ends it
   */
  onCommit(listener: () => void): () => void {
    this.commitListeners.add(listener);
    return () => this.commitListeners.delete(listener);
  }

  private async findReplay(idempotency: Idempotency): Promise<AppendResult | undefined> {
    const [stored] = (await findIdempotencyKeys(this.database.reader, [idempotency])).values();
    if (!stored) return undefined;
    return { events: await readReplayedEvents(this.database.reader, this.registry, { ...idempotency, stored }), replayed: true };
  }

  private async whileInProgress<Result>(idempotency: Idempotency, work: () => Promise<Result>): Promise<Result> {
    const name = idempotencyName(idempotency);
    if (this.keysInProgress.has(name)) throw new IdempotencyKeyInProgressError();
    this.keysInProgress.add(name);
    try {
      return await work();
    } finally {
      this.keysInProgress.delete(name);
    }
  }

  /** Commits a group in a span below that of its first traced request. */
  private commit(requests: readonly AppendRequest[], deadline: number, sent: () => void): Promise<Outcome<AppendResult>[]> {
    const work = () => this.commitTogether(requests, deadline, sent);
    const parent = requests.find(({ span }) => span?.isRecording())?.span?.spanContext();
    return parent ? inSpan('commit', {}, parent, work) : context.with(ROOT_CONTEXT, work);
  }

  /** Commits a group at once. If that fails for a reason other than the database, commits each request by itself, so that the others succeed. */
  private async commitTogether(requests: readonly AppendRequest[], deadline: number, sent: () => void): Promise<Outcome<AppendResult>[]> {
    const startedAt = performance.now();
    const { registry, readModels, times, history } = this;
    try {
      const { result: outcomes, durable } = await this.database.commit(
        (transaction) => writeAppendGroup(transaction, requests, { registry, readModels, times, history }),
        { deadline },
      );
      sent();
      await durable;
      this.reportCommit(outcomes, startedAt);
      return outcomes;
    } catch (error) {
      this.metrics.failed();
      if (requests.length === 1 || error instanceof DatabaseUnavailableError) throw error;
      const outcomes: Outcome<AppendResult>[] = [];
      for (const request of requests) {
        const separate = this.commit([request], deadline, () => undefined);
        outcomes.push(...(await separate.catch((reason: unknown) => [{ error: reason }])));
      }
      return outcomes;
    }
  }

  /** Tells metrics, log history and listeners of a durable commit. */
  private reportCommit(outcomes: readonly Outcome<AppendResult>[], startedAt: number): void {
    const events = outcomes.flatMap((outcome) => ('result' in outcome && !outcome.result.replayed ? outcome.result.events : []));
    const last = events.at(-1);
    if (last) this.history.note(last);
    this.metrics.committed({ appends: outcomes.length, events: events.length, seconds: (performance.now() - startedAt) / 1_000 });
    if (this.commitListeners.size === 0) return;
    // In a turn of its own: a listener that throws does not fail the commit.
    setImmediate(() => {
      for (const listener of this.commitListeners) listener();
    });
  }
}

/** Replaces the traceparent of the client by that of this service's span, which is below it. */
function traced(request: AppendRequest): AppendRequest {
  const { span, metadata } = request;
  return span ? { ...request, metadata: { ...metadata, traceparent: formatTraceparent(span.spanContext()) } } : request;
}

/**
 * Repeats `attempt`, which reads, decides and appends, while another writer comes first, with a short random pause before each repeat.
 * @throws ConcurrencyError if other writers came first for five seconds.
 */
export async function retryConflicts<Result>(attempt: () => Promise<Result>): Promise<Result> {
  const deadline = systemTimers.now() + MAX_WAIT_MILLISECONDS;
  for (let count = 0; ; count += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ConcurrencyError) || systemTimers.now() > deadline) throw error;
    }
    await systemTimers.sleep(Math.random() * Math.min(2 ** count, MAX_PAUSE_MILLISECONDS));
  }
}
