import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { byStream, EventRegistry, EventStore, type HistoryPage } from '#libs/event-store';
import { type LoggedEvent, toLoggedEvent } from './logged-event.js';

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
