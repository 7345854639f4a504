import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { EventRegistry, EventStore, type NewestOptions } from '#libs/event-store';
import { type LoggedEvent, toLoggedEvent } from './logged-event.js';

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
