import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import {
  groupByStream,
  EventRegistry,
  EventStore,
  LogHistory,
  type HistoryPage,
  type NewestOptions,
  type RecordedEvent,
  toPage,
  type Page,
  type PageRange,
} from '#libs/event-sourcing';
import { PublicEventLog, type PublicEventRange, type PublicEvents } from '#libs/http';

/** An event that may be shown: `data` is without its secret members, and empty if these cannot be known. */
export type LoggedEvent = RecordedEvent;

interface EventsRange extends PageRange {
  readonly stream?: string;
  readonly type?: string;
}

/** Reads one page of the log, ascending by position. */
export class ListEvents extends Query<Page<LoggedEvent>> {
  constructor(readonly range: EventsRange) {
    super();
  }
}

@QueryHandler(ListEvents)
export class ListEventsHandler implements IQueryHandler<ListEvents> {
  constructor(
    private readonly eventStore: EventStore,
    private readonly registry: EventRegistry,
    private readonly history: LogHistory,
  ) {}

  /** @throws LogRewoundError */
  async execute({ range }: ListEvents): Promise<Page<LoggedEvent>> {
    if (range.after !== undefined) await this.history.assertKnown(range.after);
    const { items, next } = await toPage(
      range,
      ({ type, ...further }) => this.eventStore.readAll({ ...further, ...(type !== undefined && { types: [type] }) }),
      ({ position }) => position,
    );
    return { items: withoutSecrets(items, this.registry), next };
  }
}

/** Reads the newest events of the log, the newest first, if wanted only of one stream or type. */
export class ListNewestEvents extends Query<readonly LoggedEvent[]> {
  constructor(readonly options: NewestOptions) {
    super();
  }
}

@QueryHandler(ListNewestEvents)
export class ListNewestEventsHandler implements IQueryHandler<ListNewestEvents> {
  constructor(
    private readonly eventStore: EventStore,
    private readonly registry: EventRegistry,
  ) {}

  async execute({ options }: ListNewestEvents): Promise<readonly LoggedEvent[]> {
    return withoutSecrets(await this.eventStore.readNewest(options), this.registry);
  }
}

/** Reads the same page of the history of several streams, by stream, in one statement. Streams without events are left out. */
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

/** Reads the next public events, ascending by position. */
export class ReadEvents extends Query<PublicEvents> {
  constructor(readonly range: PublicEventRange) {
    super();
  }
}

@QueryHandler(ReadEvents)
export class ReadEventsHandler implements IQueryHandler<ReadEvents> {
  constructor(
    private readonly log: PublicEventLog,
    private readonly history: LogHistory,
  ) {}

  /** @throws LogRewoundError */
  async execute({ range }: ReadEvents): Promise<PublicEvents> {
    const [events] = await Promise.all([this.log.read(range), this.history.assertKnown(range.after)]);
    return events;
  }
}
