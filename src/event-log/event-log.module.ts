import { Module } from '@nestjs/common';
import { EventsResolver } from './graphql/events.resolver.js';
import { ListEventsHandler } from './queries/list-events.query.js';
import { ListNewestEventsHandler } from './queries/list-newest-events.query.js';
import { ReadHistoriesHandler } from './queries/read-histories.query.js';

/** The log of all facts as it may be shown: without secrets. */
@Module({ providers: [ListEventsHandler, ListNewestEventsHandler, ReadHistoriesHandler, EventsResolver] })
export class EventLogModule {}
