import type { EventRegistry } from '../event-store/event.js';
import { EventReader } from '../event-store/read-events.js';
import { EVENTS_IN_ONE_TRANSACTION, type Projection, type ProjectionTarget } from './projection.js';

/** How far the tables of a target are, and whether that was everything. */
export interface ReplayStep {
  readonly position: bigint;
  readonly isComplete: boolean;
}

/** Applies the next `EVENTS_IN_ONE_TRANSACTION` events of the log after a position, up to another one if it is given. */
export async function applyNext(
  target: ProjectionTarget,
  registry: EventRegistry,
  projection: Projection,
  { after, until }: { readonly after: bigint; readonly until?: bigint },
): Promise<ReplayStep> {
  const page = { types: projection.eventTypes, after, limit: EVENTS_IN_ONE_TRANSACTION };
  const found = await new EventReader(target, registry).readAll(page);
  const events = until === undefined ? found : found.filter(({ position }) => position <= until);
  if (events.length > 0) await projection.project(events, target);
  return { position: events.at(-1)?.position ?? after, isComplete: events.length < EVENTS_IN_ONE_TRANSACTION };
}
