import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Database, pipelined, type WriteTransaction } from '#libs/database';
import { inChildSpan, systemTimers, type Timers } from '#libs/observability';
import { EventRegistry, type RecordedEvent } from '../event-store/event.js';
import { advanceCheckpoint, readProgress, type ProjectionProgress } from './projection-checkpoints.js';
import { applyNext, ProjectionRebuilder } from './projection-rebuilder.js';
import { createTarget, ProjectionCatalog, ReadModelMissingError, type Projection } from './projection.js';

// No log is as long; so a revision is made of generation and position.
const REVISIONS_OF_A_GENERATION = 2n ** 63n;
const MAX_WAIT_MILLISECONDS = 20;

/** Applies events to read models. If it rejects, the events are not appended. */
export type ApplyEvents = (events: readonly RecordedEvent[]) => Promise<void>;

/**
 * Keeps the live tables of this build's projections up to date: in the transaction that appends the events, and before they are read if another
 * build has appended them.
 */
@Injectable()
export class ReadModels {
  private readonly logger = new Logger(ReadModels.name);
  private readonly checks = new Map<Projection, SingleFlight<bigint>>();
  private readonly catchingUp = new Map<Projection, Promise<void>>();
  /** The last revision found, valid until something is committed. */
  private readonly known = new Map<Projection, { readonly changes: number; readonly revision: bigint }>();

  constructor(
    private readonly catalog: ProjectionCatalog,
    private readonly database: Database,
    private readonly registry: EventRegistry,
    private readonly rebuilder: ProjectionRebuilder,
  ) {}

  /**
   * Reads how far the projections of these types are. Call it before the transaction changes anything: it also finds appends of other
   * builds that a projection has missed.
   * @returns a function for the events in ascending position, to be called after their insertion into the log was sent
   */
  async begin(types: ReadonlySet<string>, transaction: WriteTransaction): Promise<ApplyEvents> {
    const affected = this.catalog.all().filter(({ eventTypes }) => eventTypes.some((type) => types.has(type)));
    const progresses = await Promise.all(affected.map((projection) => readProgress(transaction, projection)));
    return (events) =>
      pipelined(
        affected.map((projection, index) =>
          inChildSpan(`project ${projection.name}`, {}, () => this.apply(transaction, projection, progresses[index], events)),
        ),
      );
  }

  /**
   * Resolves when the tables of a projection hold every event acknowledged before this call. All calls of one turn of the event loop share
   * one check.
   * @returns the revision of the tables. It grows whenever their rows change, also by a rebuild, and stays while they do not, on all
   *   instances alike: rows that are read afterwards are of this revision or a later one.
   * @throws ReadModelMissingError (503) if another build has removed the tables, which are then built again
   * @throws DatabaseUnavailableError
   */
  current(projection: Projection): Promise<bigint> {
    let flight = this.checks.get(projection);
    if (!flight) this.checks.set(projection, (flight = new SingleFlight(() => this.check(projection))));
    return flight.join();
  }

  private async apply(
    transaction: WriteTransaction,
    projection: Projection,
    progress: ProjectionProgress | undefined,
    events: readonly RecordedEvent[],
  ): Promise<void> {
    const handled = events.filter(({ type }) => projection.eventTypes.includes(type));
    // Without progress its tables are not built yet, or were removed by another build.
    if (!progress || handled.length === 0) return;
    if (progress.position < progress.newest) {
      await this.applyMissed(transaction, projection, progress);
      return;
    }
    await projection.project(handled, createTarget(projection, transaction));
    advanceCheckpoint(transaction, projection, handled.at(-1)?.position ?? 0n);
  }

  /** Applies the next events after the checkpoint. */
  private async applyMissed(transaction: WriteTransaction, projection: Projection, { position: after }: ProjectionProgress): Promise<void> {
    const { position } = await applyNext(createTarget(projection, transaction), this.registry, projection, { after });
    if (position > after) advanceCheckpoint(transaction, projection, position);
  }

  private async check(projection: Projection): Promise<bigint> {
    const changes = this.database.committedChanges();
    const known = this.known.get(projection);
    if (known && changes !== undefined && known.changes === changes) return known.revision;
    const revision = await this.readRevision(projection);
    if (changes !== undefined) this.known.set(projection, { changes, revision });
    return revision;
  }

  /** Catches up in short transactions, so that other writers do not wait long for the lock, and requests are served between them. */
  private async readRevision(projection: Projection): Promise<bigint> {
    for (;;) {
      const { generation, position, newest } = this.assertPresent(projection, await readProgress(this.database.reader, projection));
      if (position >= newest) return BigInt(generation) * REVISIONS_OF_A_GENERATION + position;
      const running = this.catchingUp.get(projection) ?? this.catchUp(projection);
      this.catchingUp.set(projection, running);
      await running.finally(() => this.catchingUp.delete(projection));
      await nextTurn();
    }
  }

  private catchUp(projection: Projection): Promise<void> {
    return this.database.transaction(async (transaction) => {
      const progress = this.assertPresent(projection, await readProgress(transaction, projection));
      await this.applyMissed(transaction, projection, progress);
    });
  }

  private assertPresent(projection: Projection, progress: ProjectionProgress | undefined): ProjectionProgress {
    if (progress) return progress;
    this.rebuilder.prepare(projection).catch((error: unknown) => {
      this.logger.error(`The read model ${projection.name} cannot be built: ${String(error)}`);
    });
    throw new ReadModelMissingError(projection.name);
  }
}

/**
 * Runs work once for all callers who ask before it begins: at the end of the turn of the event loop in which the first of them asked, and
 * after the run before it, for which it waits 20 milliseconds at most.
 */
export class SingleFlight<Result> {
  private next: Promise<Result> | undefined;
  private running: Promise<Result> | undefined;

  constructor(
    private readonly work: () => Promise<Result>,
    private readonly timers: Timers = systemTimers,
  ) {}

  join(): Promise<Result> {
    return (this.next ??= this.start());
  }

  private async start(): Promise<Result> {
    if (this.running) await this.timers.within(this.running, MAX_WAIT_MILLISECONDS);
    await nextTurn();
    this.next = undefined;
    const run = this.work();
    this.running = run;
    try {
      return await run;
    } finally {
      if (this.running === run) this.running = undefined;
    }
  }
}
