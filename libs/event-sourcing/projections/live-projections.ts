import { Injectable } from '@nestjs/common';
import { pipelined, type WriteTransaction } from '#libs/database';
import { EventRegistry, type RecordedEvent } from '../event-store/event.js';
import { InlineProjections, type ProjectionsOfAppend } from '../event-store/inline-projections.js';
import { readEventsOfTypes } from '../event-store/read-events.js';
import { inChildSpan } from '#libs/observability';
import { advanceCheckpoint, readProgress, type ProjectionProgress } from './projection-checkpoints.js';
import { createTarget } from './projection-tables.js';
import { ProjectionCatalog, type Projection } from './projection.js';

// One transaction of this many events takes about 20 ms, so that a service on the same database can write in between.
export const EVENTS_IN_ONE_TRANSACTION = 1_000;

/**
 * Updates the live tables of this build's projections, inside the transaction that appends the events. Readers catch up with what is
 * missing there.
 */
@Injectable()
export class LiveProjections extends InlineProjections {
  constructor(
    private readonly catalog: ProjectionCatalog,
    private readonly registry: EventRegistry,
  ) {
    super();
  }

  async begin(types: ReadonlySet<string>, transaction: WriteTransaction): Promise<ProjectionsOfAppend> {
    const concerned = this.catalog.all().filter(({ eventTypes }) => eventTypes.some((type) => types.has(type)));
    const progresses = await Promise.all(concerned.map((projection) => readProgress(transaction, projection)));
    return {
      project: (events) =>
        pipelined(
          concerned.map((projection, index) =>
            inChildSpan(`project ${projection.name}`, {}, () =>
              this.project(transaction, { projection, progress: progresses[index], events }),
            ),
          ),
        ),
    };
  }

  private async project(
    transaction: WriteTransaction,
    {
      projection,
      progress,
      events,
    }: { projection: Projection; progress: ProjectionProgress | undefined; events: readonly RecordedEvent[] },
  ): Promise<void> {
    const handled = events.filter(({ type }) => projection.eventTypes.includes(type));
    const last = handled.at(-1);
    // Without progress its tables are not built yet, or were removed by another build.
    if (!progress || !last) return;
    if (progress.position < progress.newest) {
      await catchUp(transaction, this.registry, projection, progress.position);
      return;
    }
    await pipelined([
      projection.project(handled, createTarget(projection, transaction)),
      advanceCheckpoint(transaction, projection, last.position),
    ]);
  }
}

/**
 * Applies up to `EVENTS_IN_ONE_TRANSACTION` events after the checkpoint to the live tables.
 * @returns the position reached, and whether that was everything.
 */
export async function catchUp(
  transaction: WriteTransaction,
  registry: EventRegistry,
  projection: Projection,
  after: bigint,
): Promise<{ readonly position: bigint; readonly complete: boolean }> {
  const page = { types: projection.eventTypes, after, limit: EVENTS_IN_ONE_TRANSACTION };
  const events = await readEventsOfTypes(transaction, registry, page);
  const last = events.at(-1);
  if (!last) return { position: after, complete: true };
  await projection.project(events, createTarget(projection, transaction));
  await advanceCheckpoint(transaction, projection, last.position);
  return { position: last.position, complete: events.length < EVENTS_IN_ONE_TRANSACTION };
}
