import { Module, type DynamicModule } from '@nestjs/common';
import { FeedMetrics } from './feed.metrics.js';
import { EventsResolver } from './graphql/events.resolver.js';
import { ListEventsHandler, ListNewestEventsHandler, ReadHistoriesHandler, ReadEventsHandler } from './queries/events.query.js';
import { EventsController, SchemasController } from './rest/events.controller.js';
import { Feed } from './streams/feed.js';
import { OpenStreams, STREAM_LIMITS, type StreamLimits } from './streams/open-streams.js';

const LOG = [ListEventsHandler, ListNewestEventsHandler, ReadHistoriesHandler, EventsResolver];

/** The log without secrets for GraphQL and the console, and the public events over REST. */
@Module({})
export class EventsModule {
  /** @param limits of the streams of events; nothing is served without them, as on the command line */
  static forRoot(limits?: StreamLimits): DynamicModule {
    if (!limits) return { module: EventsModule, providers: LOG };
    return {
      module: EventsModule,
      controllers: [EventsController, SchemasController],
      providers: [...LOG, { provide: STREAM_LIMITS, useValue: limits }, OpenStreams, Feed, FeedMetrics, ReadEventsHandler],
    };
  }
}
