import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { settledWithin } from '#libs/observability';
import { Database } from '#libs/database';
import { EventRegistry } from '../event-store/event.js';
import { catchUp } from './live-projections.js';
import { readProgress, type ProjectionProgress } from './projection-checkpoints.js';
import { ProjectionPreparation } from './projection-preparation.js';
import { ReadModelMissingError, type Projection } from './projection.js';

// No log is as long; so a revision is made of generation and position.
const REVISIONS_OF_A_GENERATION = 2n ** 63n;
const LONGEST_WAIT_MILLISECONDS = 20;

/** Makes sure that the tables of a projection hold every acknowledged event before they are read, whichever build appended it. */
@Injectable()
export class ReadModels {
  private readonly logger = new Logger(ReadModels.name);
  private readonly checks = new Map<Projection, SingleFlight<bigint>>();
  private readonly catchingUp = new Map<Projection, SingleFlight<bigint>>();
  /** The last revision found, valid until something is committed. */
  private readonly known = new Map<Projection, { readonly changes: number; readonly revision: bigint }>();

  constructor(
    private readonly database: Database,
    private readonly registry: EventRegistry,
    private readonly preparation: ProjectionPreparation,
  ) {}

  /**
   * Resolves when the tables of a projection hold every event acknowledged before this call. All calls of one turn of the event loop share
   * one check.
   * @returns the revision of the tables. It grows whenever their rows change, also by a rebuild, and stays while they do not, on all
   *   instances alike: rows that are read afterwards are of this revision or a later one.
   * @throws ReadModelMissingError (503) if another build has removed the tables; they are then built again.
   * @throws DatabaseUnavailableError
   */
  current(projection: Projection): Promise<bigint> {
    return joinFlight(this.checks, projection, () => this.check(projection));
  }

  private async check(projection: Projection): Promise<bigint> {
    const changes = this.database.committedChanges();
    const known = this.known.get(projection);
    if (known && changes !== undefined && known.changes === changes) return known.revision;
    const revision = await this.readRevision(projection);
    if (changes !== undefined) this.known.set(projection, { changes, revision });
    return revision;
  }

  private async readRevision(projection: Projection): Promise<bigint> {
    const progress = this.assertPresent(projection, await readProgress(this.database.reader, projection));
    if (progress.position >= progress.newest) return toRevision(progress);
    return joinFlight(this.catchingUp, projection, () => this.catchUp(projection));
  }

  /** In short transactions, so that other writers do not wait long for the lock, and requests are served between them. */
  private async catchUp(projection: Projection): Promise<bigint> {
    for (;;) {
      const { generation, position, complete } = await this.database.write(async (transaction) => {
        const before = this.assertPresent(projection, await readProgress(transaction, projection));
        return { generation: before.generation, ...(await catchUp(transaction, this.registry, projection, before.position)) };
      });
      if (complete) return toRevision({ generation, position });
      await nextTurn();
    }
  }

  private assertPresent(projection: Projection, progress: ProjectionProgress | undefined): ProjectionProgress {
    if (progress) return progress;
    this.preparation.prepare(projection).catch((error: unknown) => {
      this.logger.error(`The read model ${projection.name} cannot be built: ${String(error)}`);
    });
    throw new ReadModelMissingError(projection.name);
  }
}

function joinFlight(flights: Map<Projection, SingleFlight<bigint>>, projection: Projection, work: () => Promise<bigint>): Promise<bigint> {
  let flight = flights.get(projection);
  if (!flight) {
    flight = new SingleFlight(work);
    flights.set(projection, flight);
  }
  return flight.join();
}

function toRevision({ generation, position }: Pick<ProjectionProgress, 'generation' | 'position'>): bigint {
  return BigInt(generation) * REVISIONS_OF_A_GENERATION + position;
}

/**
 * Runs work once for all callers who ask before it begins: at the end of the turn of the event loop in which the first of them asked, and
 * after the run before it, for which it waits 20 milliseconds at most.
 */
export class SingleFlight<Result> {
  private next: Promise<Result> | undefined;
  private running: Promise<Result> | undefined;

  constructor(private readonly work: () => Promise<Result>) {}

  join(): Promise<Result> {
    return (this.next ??= this.start());
  }

  private async start(): Promise<Result> {
    if (this.running) await settledWithin(this.running, LONGEST_WAIT_MILLISECONDS);
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
