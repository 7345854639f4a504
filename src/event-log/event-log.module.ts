import { Module } from '@nestjs/common';
import { EventsResolver } from './graphql/events.resolver.js';
import { ListEventsHandler, ListNewestEventsHandler, ReadHistoriesHandler } from './queries/event-log.query.js';

/** The log of all facts as it may be shown: without secrets. */
@Module({ providers: [ListEventsHandler, ListNewestEventsHandler, ReadHistoriesHandler, EventsResolver] })
export class EventLogModule {}
