import { Injectable } from '@nestjs/common';
import type { WriteTransaction } from '#libs/database';
import { EventRegistry, InlineProjections, type RecordedEvent } from '#libs/event-store';
import type { Projection } from './projection.js';
import { ProjectionCatalog } from './projection-catalog.js';
import { advanceCheckpoint, readProgress } from './projection-checkpoints.js';
import { targetOf } from './projection-target.js';
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

  async project(events: readonly RecordedEvent[], transaction: WriteTransaction): Promise<void> {
    for (const projection of this.catalog.all()) {
      const handled = events.filter(({ type }) => projection.eventTypes.includes(type));
      if (handled.length > 0) await this.keep(projection, handled, transaction);
    }
  }

  private async keep(projection: Projection, events: readonly RecordedEvent[], transaction: WriteTransaction): Promise<void> {
    const progress = await readProgress(transaction, projection);
    // Its tables are not built yet, or were removed by another build.
    if (!progress) return;
    if (progress.position < progress.newest) {
      await catchUp(transaction, this.registry, projection, progress.position);
      return;
    }
    await projection.project(events, targetOf(projection, transaction));
    await advanceCheckpoint(transaction, projection, events.at(-1)?.position ?? progress.position);
  }
}
