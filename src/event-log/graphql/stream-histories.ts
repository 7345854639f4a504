import type { QueryBus } from '@nestjs/cqrs';
import { GroupedLoader } from '#libs/graphql-kit';
import type { LoggedEvent } from '../queries/logged-event.js';
import { ReadStreams } from '../queries/read-streams.query.js';
import { toEventType, type EventType } from './event.type.js';

/** What happened in streams: one statement reads all that the fields of a request ask for at once. */
export class StreamHistories {
  private readonly loader: GroupedLoader<{ readonly asOf?: Date }, string, readonly LoggedEvent[]>;

  constructor(queries: QueryBus) {
    this.loader = new GroupedLoader((streams, { asOf }) => queries.execute(new ReadStreams(streams, asOf)));
  }

  /**
   * The events of a stream, in order.
   * @param request what stands for the request, the same object for all of its fields
   * @param asOf only the events up to this moment, that moment included
   */
  async of(request: object, stream: string, asOf?: Date): Promise<readonly EventType[]> {
    const events = await this.loader.load(request, stream, asOf ? { asOf } : {});
    return (events ?? []).map(toEventType);
  }
}
