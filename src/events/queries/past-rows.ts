import { groupByStream, takeUntil, type EventStore, type RecordedEvent } from '#libs/event-sourcing';

/** Folds streams up to a moment, that millisecond included. Returns the rows that a projection had of them then, by id; omits absent ones. */
export async function readPastRows<Row extends { readonly id: bigint }>(
  store: EventStore,
  projection: { fold(events: readonly RecordedEvent[]): Row | undefined },
  streams: readonly string[],
  moment: Date,
): Promise<ReadonlyMap<bigint, Row>> {
  const histories = groupByStream(await store.readAll({ streams }));
  const rows = [...histories.values()].flatMap((history) => projection.fold(takeUntil(history, moment)) ?? []);
  return new Map(rows.map((row) => [row.id, row]));
}
