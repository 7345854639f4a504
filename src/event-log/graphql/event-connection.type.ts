import { ObjectType } from '@nestjs/graphql';
import { connectionOf } from '#libs/graphql-kit';
import { EventType } from './event.type.js';

@ObjectType({ description: 'A page of the log, ascending by position.' })
export class EventConnection extends connectionOf(EventType, 'Event') {}
