import { QueryBus } from '@nestjs/cqrs';
import { Args, ArgsType, Field, Query, Resolver, ID, Int, ObjectType } from '@nestjs/graphql';
import { ConnectionArguments, ConnectionRequest, connectionType, DateTimeScalar, JsonScalar } from '#libs/graphql';
import { ListEvents, type LoggedEvent } from '../queries/events.query.js';

@ObjectType('Event', { description: 'A fact in the log. It is never changed or removed.' })
export class EventType {
  @Field(() => ID, { description: 'Place in the log, ascending in the order of commits.' })
  readonly position!: string;

  @Field(() => String, { description: 'What it happened to, such as `pet-17` or `api-key-7`.' })
  readonly stream!: string;

  @Field(() => Int, { description: 'Place in its stream, from 1 without gaps.' })
  readonly version!: number;

  @Field(() => String, { description: 'What happened, such as `pet-added`.' })
  readonly type!: string;

  @Field(() => Int, { description: 'The version of the form of `data`.' })
  readonly schemaVersion!: number;

  @Field(() => JsonScalar, {
    description:
      'The details, without secrets; an int64 is a string of decimal digits. Empty where a newer instance wrote what this one does not know.',
  })
  readonly data!: object;

  @Field(() => JsonScalar, { description: 'Who caused it (`actor`), by which request (`requestId`), and in which trace (`traceparent`).' })
  readonly metadata!: object;

  @Field(() => DateTimeScalar, { description: 'When it was recorded.' })
  readonly recordedAt!: Date;
}

@ObjectType({ description: 'A page of the log, ascending by position.' })
export class EventConnection extends connectionType(EventType, 'Event') {}

export function toEventType({ position, stream, version, type, schemaVersion, data, metadata, recordedAt }: LoggedEvent): EventType {
  return { position: position.toString(), stream, version, type, schemaVersion, data, metadata, recordedAt };
}

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
