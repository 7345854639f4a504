import { Injectable } from '@nestjs/common';
import { type SqlRunner, type WriteTransaction, pipelined } from '#libs/database';
import {
  readEventsOfTypes,
  readLog,
  EventRegistry,
  type RecordedEvent,
  InlineProjections,
  type ProjectionsOfAppend,
} from '#libs/event-store';
import { Tracing } from '#libs/tracing';
import { type Projection, type ProjectionTarget, ProjectionCatalog } from './projection.js';
import { advanceCheckpoint, readProgress, type ProjectionProgress } from './projection-checkpoints.js';
import { targetOf } from './projection-tables.js';

/** How far a replay has come, in positions of the log. */
export type ReplayProgress = (done: bigint, total: bigint) => void;

// One transaction of this many events takes about 20 ms, so a service on the same database goes on writing.
export const EVENTS_IN_ONE_TRANSACTION = 1_000;

/** Applies those of the events that the projection handles. */
export async function applyHandled(projection: Projection, events: readonly RecordedEvent[], target: ProjectionTarget): Promise<void> {
  const handled = events.filter(({ type }) => projection.eventTypes.includes(type));
  if (handled.length > 0) await projection.project(handled, target);
}

/**
 * Applies to the live tables what the log holds after their checkpoint, up to `EVENTS_IN_ONE_TRANSACTION` events.
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
  await projection.project(events, targetOf(projection, transaction));
  await advanceCheckpoint(transaction, projection, last.position);
  return { position: last.position, complete: events.length < EVENTS_IN_ONE_TRANSACTION };
}

/** The log in pages, from a position to its end as the connection sees it. */
export async function* logPages(
  runner: SqlRunner,
  registry: EventRegistry,
  { after, limit }: { readonly after: bigint; readonly limit: number },
): AsyncGenerator<RecordedEvent[]> {
  for (let position = after; ;) {
    const page = await readLog(runner, registry, { after: position, limit });
    const last = page.at(-1);
    if (!last) return;
    position = last.position;
    yield page;
  }
}

/**
 * Keeps the live tables of this build's projections, inside the transaction that appends the events. What it leaves behind, its
 * readers catch up with.
 */
@Injectable()
export class LiveProjections extends InlineProjections {
  constructor(
    private readonly catalog: ProjectionCatalog,
    private readonly registry: EventRegistry,
    private readonly tracing: Tracing,
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
        pipelined(
          found.map((one) => this.tracing.span({ name: `project ${one.projection.name}` }, () => this.keep(one, events, transaction))),
        ),
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
