import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { EventRegistry, EventStore } from '#libs/event-store';
import { type LoggedEvent, toLoggedEvent } from './logged-event.js';

/** The events of these streams, ascending by position; one statement for all of them. */
export class ReadStreams extends Query<readonly LoggedEvent[]> {
  constructor(readonly streams: readonly string[]) {
    super();
  }
}

@QueryHandler(ReadStreams)
export class ReadStreamsHandler implements IQueryHandler<ReadStreams> {
  constructor(
    private readonly eventStore: EventStore,
    private readonly registry: EventRegistry,
  ) {}

  async execute({ streams }: ReadStreams): Promise<readonly LoggedEvent[]> {
    const events = await this.eventStore.readStreams(streams);
    return events.map((event) => toLoggedEvent(event, this.registry));
  }
}
