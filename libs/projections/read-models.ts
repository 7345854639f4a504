import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { Database } from '#libs/database';
import { EventRegistry } from '#libs/event-store';
import { type Projection, ReadModelMissingError } from './projection.js';
import { readProgress, type ProjectionProgress } from './projection-checkpoints.js';
import { ProjectionPreparation } from './projection-preparation.js';
import { catchUp } from './live-projections.js';
import { SingleFlight } from './single-flight.js';

// No log is as long; a revision tells generation and position apart.
const REVISIONS_OF_A_GENERATION = 2n ** 63n;

/** Makes sure that the tables of a projection hold whatever was acknowledged before they are read, whichever build appended it. */
@Injectable()
export class ReadModels {
  private readonly logger = new Logger(ReadModels.name);
  private readonly checks = new Map<Projection, SingleFlight<bigint>>();
  private readonly catchingUp = new Map<Projection, SingleFlight<bigint>>();
  /** What was found last, and when: it holds until something is committed. */
  private readonly known = new Map<Projection, { readonly changes: number; readonly revision: bigint }>();

  constructor(
    private readonly database: Database,
    private readonly registry: EventRegistry,
    private readonly preparation: ProjectionPreparation,
  ) {}

  /**
   * To be awaited before the tables of a projection are read: they then hold every event that was acknowledged before this call. All
   * who call it within one turn of the event loop share one look at the database, taken after the last of them has called.
   * @returns the revision of the tables. It grows whenever their rows change, also by a rebuild, and stays while they do not, on all
   *   instances alike: rows that are read afterwards are of this revision or a later one.
   * @throws ReadModelMissingError (503) when another build has removed the tables; they are then built anew.
   * @throws DatabaseUnavailableError
   */
  current(projection: Projection): Promise<bigint> {
    return flightOf(this.checks, projection, () => this.check(projection)).join();
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
    const progress = this.present(projection, await readProgress(this.database.reader, projection));
    if (progress.position >= progress.newest) return revisionOf(progress);
    return flightOf(this.catchingUp, projection, () => this.catchUp(projection)).join();
  }

  /** In short transactions, so that neither this nor another instance waits long for the write lock, and requests are served between them. */
  private async catchUp(projection: Projection): Promise<bigint> {
    for (;;) {
      const { generation, position, complete } = await this.database.write(async (transaction) => {
        const before = this.present(projection, await readProgress(transaction, projection));
        return { generation: before.generation, ...(await catchUp(transaction, this.registry, projection, before.position)) };
      });
      if (complete) return revisionOf({ generation, position });
      await nextTurn();
    }
  }

  private present(projection: Projection, progress: ProjectionProgress | undefined): ProjectionProgress {
    if (progress) return progress;
    this.preparation.prepare(projection).catch((error: unknown) => {
      this.logger.error(`The read model ${projection.name} cannot be built: ${String(error)}`);
    });
    throw new ReadModelMissingError(projection.name);
  }
}

function flightOf(
  flights: Map<Projection, SingleFlight<bigint>>,
  projection: Projection,
  work: () => Promise<bigint>,
): SingleFlight<bigint> {
  const known = flights.get(projection);
  if (known) return known;
  const flight = new SingleFlight(work);
  flights.set(projection, flight);
  return flight;
}

function revisionOf({ generation, position }: Pick<ProjectionProgress, 'generation' | 'position'>): bigint {
  return BigInt(generation) * REVISIONS_OF_A_GENERATION + position;
}
