import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { EventRegistry, EventStore, LogHistory } from '#libs/event-store';
import { toPage, type Page, type PageRange } from '#libs/projections';
import { type LoggedEvent, toLoggedEvent } from './logged-event.js';

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
