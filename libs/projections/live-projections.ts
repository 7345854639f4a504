import { Injectable } from '@nestjs/common';
import { pipelined, type WriteTransaction } from '#libs/database';
import { inChildSpan } from '#libs/tracing';
import { EventRegistry, InlineProjections, type ProjectionsOfAppend, type RecordedEvent } from '#libs/event-store';
import type { Projection } from './projection.js';
import { ProjectionCatalog } from './projection-catalog.js';
import { advanceCheckpoint, readProgress, type ProjectionProgress } from './projection-checkpoints.js';
import { targetOf } from './projection-tables.js';
import { catchUp } from './replay.js';

/**
 * Keeps the live tables of this build's projections, inside the transaction that appends the events. What it leaves behind, its
 * readers catch up with.
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
    const found = await Promise.all(
      concerned.map(async (projection) => ({ projection, progress: await readProgress(transaction, projection) })),
    );
    return {
      project: (events) =>
        pipelined(found.map((one) => inChildSpan(`project ${one.projection.name}`, {}, () => this.keep(one, events, transaction)))),
    };
  }

  private async keep({ projection, progress }: Found, events: readonly RecordedEvent[], transaction: WriteTransaction): Promise<void> {
    const handled = events.filter(({ type }) => projection.eventTypes.includes(type));
    const last = handled.at(-1);
    // Without progress its tables are not built yet, or were removed by another build.
    if (!progress || !last) return;
    if (progress.position < progress.newest) {
      await catchUp(transaction, this.registry, projection, progress.position);
      return;
    }
    await pipelined([
      projection.project(handled, targetOf(projection, transaction)),
      advanceCheckpoint(transaction, projection, last.position),
    ]);
  }
}

interface Found {
  readonly projection: Projection;
  readonly progress: ProjectionProgress | undefined;
}
