import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Database, type EntityTable, identifier, pipelined, sql, type SqlRunner, type WriteTransaction } from '#libs/database';
import { inChildSpan, systemTimers, type Timers } from '#libs/observability';
import { countRows } from '../event-store/bounded-rows.js';
import { EventRegistry, type RecordedEvent } from '../event-store/event.js';
import { countPositions, newestPosition, newestPositionSql, readPosition } from '../event-store/sequences.js';
import {
  advanceCheckpoint,
  readCheckpoint,
  readCheckpoints,
  readProgress,
  type ProjectionCheckpoint,
  type ProjectionProgress,
} from './projection-checkpoints.js';
import { applyNext, ProjectionRebuilder, type ReplayProgress, type ReplayStep } from './projection-rebuilder.js';
import {
  createProjectionTable,
  createTarget,
  listTextIndexes,
  ProjectionCatalog,
  projectionTableName,
  ReadModelMissingError,
  replayTableName,
  type Projection,
} from './projection.js';

// No log is as long; so a revision is made of generation and position.
const REVISIONS_OF_A_GENERATION = 2n ** 63n;
const MAX_WAIT_MILLISECONDS = 20;

/** Applies events to read models. If it rejects, the events are not appended. */
export type ApplyEvents = (events: readonly RecordedEvent[]) => Promise<void>;

/** The state of one version of a projection. */
export interface ProjectionStatus {
  readonly name: string;
  readonly version: number;
  /** False for a version of an older or newer build. */
  readonly used: boolean;
  readonly generation: number;
  readonly position: bigint;
  /** False if the tables do not exist or lack an event that the projection handles; null for a version of another build. */
  readonly upToDate: boolean | null;
  /** Positions of the log up to the newest event that it handles; null for a version of another build. */
  readonly lag: bigint | null;
  /** The build that runs beside its tables, or has stopped; null if there is none. */
  readonly rebuild: { readonly id: string; readonly position: bigint } | null;
}

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

  /** As `current`, of the read model with this name. */
  revision(name: string): Promise<bigint> {
    const projection = this.catalog.find(name);
    return projection ? this.current(projection) : Promise.reject(new Error(`There is no read model ${name}.`));
  }

  /** Tells how far all versions of the projections are. Those of this build come first. */
  async statuses(): Promise<ProjectionStatus[]> {
    const used = await Promise.all(this.catalog.all().map((projection) => this.readStatus(projection)));
    const others = (await readCheckpoints(this.database.reader)).filter((checkpoint) => !this.catalog.uses(checkpoint));
    return [...used, ...others.map((checkpoint) => ({ ...toStatus(checkpoint), used: false, upToDate: null, lag: null }))];
  }

  /** Returns the names of the projections whose texts are searched without an index, since the server has none to offer. */
  async withoutTextIndex(): Promise<string[]> {
    const { reader, dialect } = this.database;
    const found = this.catalog.all().map(async (projection) => {
      if ((await readCheckpoint(reader, projection)).generation === 0) return [];
      const indexes = projection.tables.flatMap((table) => listTextIndexes(table, (name) => projectionTableName(projection, name)));
      const rows = await Promise.all(indexes.map((index) => reader.query(dialect.textSearch.findIndex(index))));
      return rows.some((each) => each.length === 0) ? [projection.name] : [];
    });
    return (await Promise.all(found)).flat();
  }

  /**
   * Compares the tables of all projections with a replay of the log: brings them up to date, replays the log into temporary tables up to their
   * checkpoints, and compares them, all in one snapshot.
   * @returns one sentence for each table that differs; none if all are equal.
   */
  async verify(onProgress: ReplayProgress = () => undefined): Promise<string[]> {
    const projections = this.catalog.all();
    await Promise.all(projections.map((projection) => this.current(projection)));
    const total = await readPosition(this.database.reader, newestPosition);
    return this.database.snapshot(async (runner) => {
      const problems: string[] = [];
      for (const [index, projection] of projections.entries()) {
        const done = total * BigInt(index);
        await this.replay(runner, projection, (position) => onProgress((done + position) / BigInt(projections.length), total));
        for (const table of projection.tables) problems.push(...(await compare(runner, projection, table)));
      }
      return problems;
    });
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

  private async readStatus(projection: Projection): Promise<ProjectionStatus> {
    // In this order, so that events appended in between do not count as lag.
    const last = await readPosition(this.database.reader, newestPositionSql(projection.eventTypes));
    const checkpoint = await readCheckpoint(this.database.reader, projection);
    const { generation, position } = checkpoint;
    const lag = await countPositions(this.database.reader, { after: position, until: last });
    return { ...toStatus(checkpoint), used: true, upToDate: generation > 0 && lag === 0n, lag };
  }

  /** Events that another build has appended since the live tables were brought up to date reach them when these are read next. */
  private async replay(runner: WriteTransaction, projection: Projection, onProgress: (position: bigint) => void): Promise<void> {
    for (const table of projection.tables) {
      await createProjectionTable(runner, table, (name) => replayTableName(projectionTableName(projection, name)), { temporary: true });
    }
    const target = createTarget(projection, runner, replayTableName);
    const { position: until } = await readCheckpoint(runner, projection);
    for (let step: ReplayStep = { position: 0n, isComplete: false }; !step.isComplete;) {
      step = await applyNext(target, this.registry, projection, { after: step.position, until });
      onProgress(step.position);
    }
  }

  private assertPresent(projection: Projection, progress: ProjectionProgress | undefined): ProjectionProgress {
    if (progress) return progress;
    this.rebuilder.prepare(projection).catch((error: unknown) => {
      this.logger.error(`The read model ${projection.name} cannot be built: ${String(error)}`);
    });
    throw new ReadModelMissingError(projection.name);
  }
}

function toStatus({ name, version, generation, position, rebuildId, rebuildPosition }: ProjectionCheckpoint) {
  return { name, version, generation, position, rebuild: rebuildId === undefined ? null : { id: rebuildId, position: rebuildPosition } };
}

async function compare(runner: SqlRunner, projection: Projection, { name: table }: EntityTable<object>): Promise<string[]> {
  const name = projectionTableName(projection, table);
  const live = sql`SELECT * FROM ${identifier(name)}`;
  const replayed = sql`SELECT * FROM ${identifier(replayTableName(name))}`;
  const wrong = await countRows(runner, sql`${live} EXCEPT ${replayed}`);
  const missing = await countRows(runner, sql`${replayed} EXCEPT ${live}`);
  if (wrong === 0 && missing === 0) return [];
  return [
    `projection ${projection.name}: table ${table} has ${wrong} rows that a replay has not, and lacks ${missing} rows that a replay has`,
  ];
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
