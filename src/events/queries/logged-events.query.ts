import {
  EventRegistry,
  type RecordedEvent,
  EventStore,
  LogHistory,
  type NewestOptions,
  byStream,
  type HistoryPage,
} from '#libs/event-store';
import { toPage, type Page, type PageRange } from '#libs/projections';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';

/** An event as it may be shown: `data` is without the members that are secrets, and empty where these cannot be known. */
export type LoggedEvent = RecordedEvent;

export function toLoggedEvent(event: RecordedEvent, registry: EventRegistry): LoggedEvent {
  return { ...event, data: registry.withoutSecrets(event) };
}

export interface EventsRange extends PageRange {
  readonly stream?: string;
  readonly type?: string;
}

/** One page of the log, ascending by position. */
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
    return { items: items.map((event) => toLoggedEvent(event, this.registry)), next };
  }
}

/** The newest events of the log, of one stream or type where that is asked for, the newest first. */
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
    const events = await this.eventStore.readNewest(options);
    return events.map((event) => toLoggedEvent(event, this.registry));
  }
}

/** The same page of the history of each of these streams, by stream; one statement for all of them. A stream without events is left out. */
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
    const events = await this.eventStore.readHistories(streams, page);
    return byStream(events.map((event) => toLoggedEvent(event, this.registry)));
  }
}
