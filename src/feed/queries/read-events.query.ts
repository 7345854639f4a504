import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { PublicEventLog, type PublicEventRange, type PublicEvents } from '#libs/public-events';

/** The next events that leave the service, ascending by position. */
export class ReadEvents extends Query<PublicEvents> {
  constructor(readonly range: PublicEventRange) {
    super();
  }
}

@QueryHandler(ReadEvents)
export class ReadEventsHandler implements IQueryHandler<ReadEvents> {
  constructor(private readonly log: PublicEventLog) {}

  execute({ range }: ReadEvents): Promise<PublicEvents> {
    return this.log.read(range);
  }
}
