import { Field, ID, Int, ObjectType } from '@nestjs/graphql';
import { connectionOf, DateTimeScalar, JsonScalar } from '#libs/graphql-kit';
import type { LoggedEvent } from '../queries/event-log.query.js';

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
export class EventConnection extends connectionOf(EventType, 'Event') {}

export function toEventType({ position, stream, version, type, schemaVersion, data, metadata, recordedAt }: LoggedEvent): EventType {
  return { position: position.toString(), stream, version, type, schemaVersion, data, metadata, recordedAt };
}
