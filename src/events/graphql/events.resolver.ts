import { QueryBus } from '@nestjs/cqrs';
import { Args, ArgsType, Field, Query, Parent, ResolveField, Resolver, ID, InputType, Int, ObjectType } from '@nestjs/graphql';
import { parseInt64, PublicEventCatalog, quoteGiven } from '#libs/http';
import {
  assertListSize,
  ConnectionArguments,
  ConnectionRequest,
  connectionType,
  DateTimeScalar,
  EMPTY_PAGE,
  intersectFilters,
  JsonScalar,
} from '#libs/graphql';
import { invalidParameter } from '#libs/observability';
import { CountEvents, ListEvents, type LoggedEvent } from '../queries/events.query.js';

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

  @Field(() => String, {
    description: 'Who caused it: `api-key-7` for an API key, `alice@host` or another name for the command line, `system` for the service.',
  })
  readonly actor!: string;

  @Field(() => JsonScalar, { description: 'Who caused it (`actor`), by which request (`requestId`), and in which trace (`traceparent`).' })
  readonly metadata!: object;

  @Field(() => DateTimeScalar, { description: 'When it was recorded.' })
  readonly recordedAt!: Date;
}

@ObjectType({ description: 'A page of the log.' })
export class EventConnection extends connectionType(EventType, 'Event') {}

export function toEventType({ position, stream, version, type, schemaVersion, data, metadata, recordedAt }: LoggedEvent): EventType {
  const { actor } = metadata;
  return { position: position.toString(), stream, version, type, schemaVersion, data, actor, metadata, recordedAt };
}

@InputType({ description: 'How the log is narrowed: the list has the events that match all members.' })
class EventFilter {
  @Field(() => [String], { nullable: true, description: 'Only events of these streams, such as `pet-17`.' })
  readonly streams?: readonly string[];

  @Field(() => [String], { nullable: true, description: 'Only events of these types, such as `pet-added`.' })
  readonly types?: readonly string[];

  @Field(() => DateTimeScalar, { nullable: true, description: 'Only events that were recorded at this moment or later.' })
  readonly since?: Date;

  @Field(() => DateTimeScalar, { nullable: true, description: 'Only events that were recorded before this moment.' })
  readonly before?: Date;

  @Field(() => ID, { nullable: true, description: 'Only events from this position on.' })
  readonly positionFrom?: string;

  @Field(() => ID, { nullable: true, description: 'Only events up to this position.' })
  readonly positionTo?: string;

  @Field(() => String, { nullable: true, description: 'Only events with exactly this `actor`.' })
  readonly actor?: string;

  @Field(() => String, { nullable: true, description: 'Only events of the request with this `X-Request-Id`.' })
  readonly requestId?: string;
}

@ArgsType()
class EventsArguments extends ConnectionArguments {
  @Field(() => EventFilter, { nullable: true, description: 'Only events that match.' })
  readonly filter?: EventFilter;

  @Field(() => String, {
    nullable: true,
    description: 'Only events of this stream, such as `pet-17`.',
    deprecationReason: 'Use `filter` with `streams`.',
  })
  readonly stream?: string;

  @Field(() => String, {
    nullable: true,
    description: 'Only events of this type, such as `pet-added`.',
    deprecationReason: 'Use `filter` with `types`.',
  })
  readonly type?: string;
}

/** The log of all facts over GraphQL. */
@Resolver(() => EventType)
export class EventsResolver {
  constructor(
    private readonly queries: QueryBus,
    private readonly catalog: PublicEventCatalog,
  ) {}

  @Query(() => EventConnection, { description: 'The log of all facts, ascending by position unless `orderBy` says otherwise.' })
  async events(@Args() { filter, stream, type, ...place }: EventsArguments): Promise<EventConnection> {
    const request = new ConnectionRequest('events', place, { filter, stream, type });
    const wanted = intersectFilters(readEventFilter(filter ?? {}), {
      ...(stream !== undefined && { streams: [stream] }),
      ...(type !== undefined && { types: [type] }),
    });
    const page = wanted ? await this.queries.execute(new ListEvents({ ...request.range, filter: wanted })) : EMPTY_PAGE;
    const count = async () => (wanted ? this.queries.execute(new CountEvents(wanted)) : 0);
    return request.connection(page, { toNode: toEventType, numberOf: ({ position }) => position, count });
  }

  @Query(() => EventType, { nullable: true, description: 'The event at a position of the log; null if there is none.' })
  async event(@Args('position', { type: () => ID, description: 'The position.' }) position: string): Promise<EventType | null> {
    const place = readPosition('position', position);
    const { items } = await this.queries.execute(new ListEvents({ limit: 1, filter: { positionFrom: place, positionTo: place } }));
    return items[0] ? toEventType(items[0]) : null;
  }

  @ResolveField(() => String, {
    nullable: true,
    description:
      'The name of `type` in REST, in webhook messages and in `Delivery.type`, such as `pet.added`; null if it is in none of them.',
  })
  publicType(@Parent() { type }: EventType): string | null {
    return this.catalog.findStored(type)?.as ?? null;
  }
}

/** @throws ApplicationError `invalid_parameter` that names the member */
function readEventFilter({ positionFrom, positionTo, ...filter }: EventFilter) {
  for (const [name, values] of Object.entries({ streams: filter.streams, types: filter.types })) {
    if (values) assertListSize(`filter.${name}`, values);
  }
  return {
    ...filter,
    ...(positionFrom !== undefined && { positionFrom: readPosition('filter.positionFrom', positionFrom) }),
    ...(positionTo !== undefined && { positionTo: readPosition('filter.positionTo', positionTo) }),
  };
}

/** Positions begin at 1; 0 is before all events. @throws ApplicationError `invalid_parameter` */
function readPosition(name: string, text: string): bigint {
  const position = parseInt64(text);
  if (position !== undefined && position >= 0n) return position;
  throw invalidParameter(
    name,
    'position',
    `${name} must be a position of the log: a whole number from 0 in plain digits, at most int64${quoteGiven(text)}`,
  );
}
