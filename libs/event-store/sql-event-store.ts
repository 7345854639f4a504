import { Database, DatabaseUnavailableError, isOneOf, join, sql, type SqlFragment } from '#libs/database';
import { Injectable } from '@nestjs/common';
import { BatchLoader } from '#libs/batching';
import { writeAppendGroup, type AppendRequest } from './append-group.js';
import { byStream } from './by-stream.js';
import type { RecordedEvent } from './event.js';
import { selectEvents } from './event-row.js';
import { EventRegistry } from './event-registry.js';
import { EventStoreMetrics } from './event-store.metrics.js';
import { IdempotencyKeyInProgressError } from './event-store.errors.js';
import {
  EventStore,
  type AppendOptions,
  type AppendResult,
  type Idempotency,
  type ReadAllOptions,
  type StreamAppend,
} from './event-store.js';
import { GroupCommit, type Outcome } from './group-commit.js';
import { findIdempotencyKeys, idempotencyName, replayOf } from './idempotency-keys.js';
import { InlineProjections } from './inline-projections.js';
import { RecordingTimes } from './recording-times.js';
import { Sequences } from './sequences.js';

/** The event store on TypeORM. */
@Injectable()
export class SqlEventStore extends EventStore {
  private readonly commits: GroupCommit<AppendRequest, AppendResult>;
  private readonly keysInProgress = new Set<string>();
  private readonly streams = new BatchLoader<string, readonly RecordedEvent[]>(async (streams) =>
    byStream(await this.readStreams(streams)),
  );

  constructor(
    private readonly database: Database,
    private readonly registry: EventRegistry,
    private readonly projections: InlineProjections,
    private readonly times: RecordingTimes,
    private readonly metrics: EventStoreMetrics,
  ) {
    super();
    this.commits = new GroupCommit((requests, deadline) => this.commit(requests, deadline), database.patience);
  }

  async append(appends: readonly StreamAppend[], options: AppendOptions): Promise<AppendResult> {
    const request = { appends, ...options };
    if (!options.idempotency) return this.commits.add(request);
    const name = idempotencyName(options.idempotency);
    if (this.keysInProgress.has(name)) throw new IdempotencyKeyInProgressError();
    this.keysInProgress.add(name);
    try {
      return await this.commits.add(request);
    } finally {
      this.keysInProgress.delete(name);
    }
  }

  async findReplay(idempotency: Idempotency): Promise<AppendResult | undefined> {
    const [stored] = (await findIdempotencyKeys(this.database.reader, [idempotency])).values();
    return stored && replayOf(this.database.reader, this.registry, { ...idempotency, stored });
  }

  async readStream(stream: string): Promise<RecordedEvent[]> {
    return [...((await this.streams.load(this, stream)) ?? [])];
  }

  async readStreams(streams: readonly string[]): Promise<RecordedEvent[]> {
    if (streams.length === 0) return [];
    return this.read(sql`WHERE "stream_id" ${isOneOf(streams)} ORDER BY "position"`);
  }

  async readAll({ after = 0n, limit, stream, type }: ReadAllOptions): Promise<RecordedEvent[]> {
    const conditions = [sql`"position" > ${after}`];
    if (stream !== undefined) conditions.push(sql`"stream_id" = ${stream}`);
    if (type !== undefined) conditions.push(sql`"type" = ${type}`);
    return this.read(sql`WHERE ${join(conditions, ' AND ')} ORDER BY "position" LIMIT ${limit}`);
  }

  async lastPosition(): Promise<bigint> {
    return Sequences.lastPosition(this.database.reader);
  }

  private read(condition: SqlFragment): Promise<RecordedEvent[]> {
    return selectEvents(this.database.reader, this.registry, condition);
  }

  /** Commits a group at once; when that fails for one of them, each alone, so that nobody pays for a neighbour. */
  private async commit(requests: readonly AppendRequest[], deadline: number): Promise<Outcome<AppendResult>[]> {
    const startedAt = performance.now();
    try {
      const outcomes = await this.database.write(
        (transaction) =>
          writeAppendGroup(transaction, requests, { registry: this.registry, projections: this.projections, times: this.times }),
        { deadline },
      );
      this.metrics.committed({
        appends: requests.length,
        events: countAppended(outcomes),
        seconds: (performance.now() - startedAt) / 1_000,
      });
      return outcomes;
    } catch (error) {
      this.metrics.failed();
      if (requests.length === 1 || error instanceof DatabaseUnavailableError) throw error;
      return this.commitEachAlone(requests, deadline);
    }
  }

  private async commitEachAlone(requests: readonly AppendRequest[], deadline: number): Promise<Outcome<AppendResult>[]> {
    const outcomes: Outcome<AppendResult>[] = [];
    for (const request of requests) {
      outcomes.push(...(await this.commit([request], deadline).catch((error: unknown) => [{ error }])));
    }
    return outcomes;
  }
}

function countAppended(outcomes: readonly Outcome<AppendResult>[]): number {
  return outcomes.reduce(
    (total, outcome) => ('result' in outcome && !outcome.result.replayed ? total + outcome.result.events.length : total),
    0,
  );
}
