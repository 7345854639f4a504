import { QueryBus } from '@nestjs/cqrs';
import { Args, ArgsType, Field, Query, Resolver } from '@nestjs/graphql';
import { ConnectionArguments, ConnectionRequest } from '#libs/graphql-kit';
import { ListEvents } from '../queries/event-log.query.js';
import { EventConnection, toEventType } from './event.type.js';

@ArgsType()
class EventsArguments extends ConnectionArguments {
  @Field(() => String, { nullable: true, description: 'Only events of this stream, such as `pet-17`.' })
  readonly stream?: string | null;

  @Field(() => String, { nullable: true, description: 'Only events of this type, such as `pet-added`.' })
  readonly type?: string | null;
}

/** The log of all facts over GraphQL. */
@Resolver()
export class EventsResolver {
  constructor(private readonly queries: QueryBus) {}

  @Query(() => EventConnection, { description: 'The log of all facts, ascending by position.' })
  async events(@Args() { stream, type, ...place }: EventsArguments): Promise<EventConnection> {
    const filter = { ...(typeof stream === 'string' && { stream }), ...(typeof type === 'string' && { type }) };
    const request = new ConnectionRequest('events', place, filter);
    const page = await this.queries.execute(new ListEvents(request.range));
    return request.connection(page, toEventType, ({ position }) => position);
  }
}
