import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import {
  groupByStream,
  EventRegistry,
  EventStore,
  LogHistory,
  type EventFilter,
  type EventListRange,
  type HistoryPage,
  type RecordedEvent,
  type Page,
} from '#libs/event-sourcing';
import { PublicEventLog, type PublicEventRange, type PublicEvents } from '#libs/http';

/** An event that may be shown: `data` is without its secret members, and empty if these cannot be known. */
export type LoggedEvent = RecordedEvent;

/** Reads one page of the log, in the order of positions. */
export class ListEvents extends Query<Page<LoggedEvent>> {
  constructor(readonly range: EventListRange) {
    super();
  }
}

@QueryHandler(ListEvents)
export class ListEventsHandler implements IQueryHandler<ListEvents> {
  constructor(
    private readonly events: EventStore,
    private readonly registry: EventRegistry,
    private readonly history: LogHistory,
  ) {}

  /** @throws LogRewoundError */
  async execute({ range }: ListEvents): Promise<Page<LoggedEvent>> {
    if (range.after !== undefined) await this.history.assertKnown(range.after);
    const { items, next } = await this.events.page(range);
    return { items: withoutSecrets(items, this.registry), next };
  }
}

/** Counts the events that match a filter. */
export class CountEvents extends Query<number> {
  constructor(readonly filter: EventFilter) {
    super();
  }
}

@QueryHandler(CountEvents)
export class CountEventsHandler implements IQueryHandler<CountEvents> {
  constructor(private readonly events: EventStore) {}

  execute({ filter }: CountEvents): Promise<number> {
    return this.events.total(filter);
  }
}

/** Reads the same page of the history of several streams, by stream, in one statement. Omits streams without events. */
export class ReadHistories extends Query<ReadonlyMap<string, readonly LoggedEvent[]>> {
  constructor(
    readonly streams: readonly string[],
    readonly page: HistoryPage,
  ) {
    super();
  }
}

@QueryHandler(ReadHistories)
export class ReadHistoriesHandler implements IQueryHandler<ReadHistories> {
  constructor(
    private readonly eventStore: EventStore,
    private readonly registry: EventRegistry,
  ) {}

  async execute({ streams, page }: ReadHistories): Promise<ReadonlyMap<string, readonly LoggedEvent[]>> {
    return groupByStream(withoutSecrets(await this.eventStore.readHistories(streams, page), this.registry));
  }
}

function withoutSecrets(events: readonly RecordedEvent[], registry: EventRegistry): LoggedEvent[] {
  return events.map((event) => ({ ...event, data: registry.withoutSecrets(event) }));
}

/** The public events after a position, recorded from one moment on and before another. */
export interface ReadEventsRange extends Omit<PublicEventRange, 'until'> {
  readonly since?: Date | undefined;
  readonly before?: Date | undefined;
}

export interface FoundEvents extends PublicEvents {
  /** The position after which they were looked for, which is that of the range or, with `since`, a later one. */
  readonly after: bigint;
}

/** Reads the next public events, ascending by position. */
export class ReadEvents extends Query<FoundEvents> {
  constructor(readonly range: ReadEventsRange) {
    super();
  }
}

@QueryHandler(ReadEvents)
export class ReadEventsHandler implements IQueryHandler<ReadEvents> {
  constructor(
    private readonly log: PublicEventLog,
    private readonly history: LogHistory,
    private readonly eventStore: EventStore,
  ) {}

  /** @throws LogRewoundError */
  async execute({ range: { since, before, ...range } }: ReadEvents): Promise<FoundEvents> {
    const [start, until] = await Promise.all([
      since && this.eventStore.positionBefore(since),
      before && this.eventStore.positionBefore(before),
    ]);
    const after = start !== undefined && start > range.after ? start : range.after;
    const [events] = await Promise.all([this.log.read({ ...range, after, until }), this.history.assertKnown(range.after)]);
    return { ...events, after };
  }
}
