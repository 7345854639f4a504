import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { LogHistory } from '#libs/event-store';
import { PublicEventLog, type PublicEventRange, type PublicEvents } from '#libs/public-events';

/** The next events that leave the service, ascending by position. */
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
