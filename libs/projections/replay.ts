import type { SqlRunner, WriteTransaction } from '#libs/database';
import { readEventsOfTypes, readLog, type EventRegistry, type RecordedEvent } from '#libs/event-store';
import type { Projection, ProjectionTarget } from './projection.js';
import { advanceCheckpoint } from './projection-checkpoints.js';
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
