import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { EventRegistry, EventStore, eventsUntil } from '#libs/event-store';
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
    const byStream = new Map<string, LoggedEvent[]>();
    for (const event of await this.eventStore.readStreams(streams)) {
      const logged = toLoggedEvent(event, this.registry);
      const events = byStream.get(event.stream);
      if (events) events.push(logged);
      else byStream.set(event.stream, [logged]);
    }
    return asOf ? new Map([...byStream].map(([stream, events]) => [stream, eventsUntil(events, asOf)])) : byStream;
  }
}
