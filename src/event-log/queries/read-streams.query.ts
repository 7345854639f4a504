import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { byStream, EventRegistry, EventStore, eventsUntil } from '#libs/event-store';
import { type LoggedEvent, toLoggedEvent } from './logged-event.js';

/**
 * The events of these streams by stream, in order; one statement for all of them. A stream without events is left out.
 * @param asOf only the events up to this moment, that moment included
 */
export class ReadStreams extends Query<ReadonlyMap<string, readonly LoggedEvent[]>> {
  constructor(
    readonly streams: readonly string[],
    readonly asOf?: Date,
  ) {
    super();
  }
}

@QueryHandler(ReadStreams)
export class ReadStreamsHandler implements IQueryHandler<ReadStreams> {
  constructor(
    private readonly eventStore: EventStore,
    private readonly registry: EventRegistry,
  ) {}

  async execute({ streams, asOf }: ReadStreams): Promise<ReadonlyMap<string, readonly LoggedEvent[]>> {
    const events = await this.eventStore.readStreams(streams);
    const logged = byStream(events.map((event) => toLoggedEvent(event, this.registry)));
    return asOf ? new Map([...logged].map(([stream, ofStream]) => [stream, eventsUntil(ofStream, asOf)])) : logged;
  }
}
