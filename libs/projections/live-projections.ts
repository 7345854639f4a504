import { Injectable } from '@nestjs/common';
import type { WriteTransaction } from '#libs/database';
import { InlineProjections, type RecordedEvent } from '#libs/event-store';
import { ProjectionCatalog } from './projection-catalog.js';
import { advanceCheckpoint } from './projection-checkpoints.js';
import { targetOf } from './projection-target.js';

/** Keeps the live tables of all projections, inside the transaction that appends the events. */
@Injectable()
export class LiveProjections extends InlineProjections {
  constructor(private readonly catalog: ProjectionCatalog) {
    super();
  }

  async project(events: readonly RecordedEvent[], transaction: WriteTransaction): Promise<void> {
    for (const projection of this.catalog.all()) {
      const handled = events.filter(({ type }) => projection.eventTypes.includes(type));
      const last = handled.at(-1);
      if (!last) continue;
      await projection.project(handled, targetOf(projection, transaction));
      await advanceCheckpoint(transaction, projection.name, last.position);
    }
  }
}
