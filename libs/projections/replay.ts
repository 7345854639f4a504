import type { SqlRunner } from '#libs/database';
import { readLog, type EventRegistry, type RecordedEvent } from '#libs/event-store';
import type { Projection, ProjectionTarget } from './projection.js';

/** How far a replay has come, in positions of the log. */
export type ReplayProgress = (done: bigint, total: bigint) => void;

/** Applies those of the events that the projection handles. */
export async function applyHandled(projection: Projection, events: readonly RecordedEvent[], target: ProjectionTarget): Promise<void> {
  const handled = events.filter(({ type }) => projection.eventTypes.includes(type));
  if (handled.length > 0) await projection.project(handled, target);
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
