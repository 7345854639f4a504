import { Module } from '@nestjs/common';
import { EventsResolver } from './graphql/events.resolver.js';
import { ListEventsHandler } from './queries/list-events.query.js';
import { ListNewestEventsHandler } from './queries/list-newest-events.query.js';
import { ReadStreamsHandler } from './queries/read-streams.query.js';

/** The log of all facts as it may be shown: without secrets. */
@Module({ providers: [ListEventsHandler, ListNewestEventsHandler, ReadStreamsHandler, EventsResolver] })
export class EventLogModule {}
