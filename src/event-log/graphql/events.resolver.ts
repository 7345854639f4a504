import { QueryBus } from '@nestjs/cqrs';
import { Args, Int, Query, Resolver } from '@nestjs/graphql';
import { AFTER_DESCRIPTION, DEFAULT_FIRST, FIRST_DESCRIPTION, ListCursor, readAfter, readFirst, toConnection } from '#libs/graphql-kit';
import { ListEvents } from '../queries/list-events.query.js';
import { EventConnection, toEventType } from './event.type.js';

/** The log of all facts over GraphQL. */
@Resolver()
export class EventsResolver {
  constructor(private readonly queries: QueryBus) {}

  @Query(() => EventConnection, { description: 'The log of all facts, ascending by position.' })
  async events(
    @Args('first', { type: () => Int, nullable: true, defaultValue: DEFAULT_FIRST, description: FIRST_DESCRIPTION }) first: number | null,
    @Args('after', { type: () => String, nullable: true, description: AFTER_DESCRIPTION }) after?: string | null,
    @Args('stream', { type: () => String, nullable: true, description: 'Only events of this stream, such as `pet-17`.' })
    stream?: string | null,
    @Args('type', { type: () => String, nullable: true, description: 'Only events of this type, such as `pet-added`.' })
    type?: string | null,
  ): Promise<EventConnection> {
    const filter = { ...(typeof stream === 'string' && { stream }), ...(typeof type === 'string' && { type }) };
    const cursor = new ListCursor('events', filter);
    const page = { limit: readFirst(first), ...readAfter(cursor, after), ...filter };
    const { events, hasNext } = await this.queries.execute(new ListEvents(page));
    const items = events.map((event) => ({ id: event.position, node: toEventType(event) }));
    return toConnection({ items, hasNextPage: hasNext, hasPreviousPage: page.after !== undefined }, cursor);
  }
}
