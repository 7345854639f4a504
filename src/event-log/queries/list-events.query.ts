import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { EventRegistry, EventStore } from '#libs/event-store';
import { type LoggedEvent, toLoggedEvent } from './logged-event.js';

export interface EventsPage {
  /** The most events to give, from 1. */
  readonly limit: number;
  /** Only events after this position. */
  readonly after?: bigint;
  readonly stream?: string;
  readonly type?: string;
}

export interface ListEventsResult {
  /** Ascending by position. */
  readonly events: readonly LoggedEvent[];
  readonly hasNext: boolean;
}

/** One page of the log. */
export class ListEvents extends Query<ListEventsResult> {
  constructor(readonly page: EventsPage) {
    super();
  }
}

@QueryHandler(ListEvents)
export class ListEventsHandler implements IQueryHandler<ListEvents> {
  constructor(
    private readonly eventStore: EventStore,
    private readonly registry: EventRegistry,
  ) {}

  async execute({ page }: ListEvents): Promise<ListEventsResult> {
    // One more than asked for tells whether another page follows.
    const events = await this.eventStore.readAll({ ...page, limit: page.limit + 1 });
    return {
      events: events.slice(0, page.limit).map((event) => toLoggedEvent(event, this.registry)),
      hasNext: events.length > page.limit,
    };
  }
}
