import { Module, type DynamicModule } from '@nestjs/common';
import { EventsResolver } from './graphql/events.resolver.js';
import { HistoryResolver } from './graphql/history.resolver.js';
import { CountEventsHandler, ListEventsHandler, ReadHistoriesHandler, ReadEventsHandler } from './queries/events.query.js';
import { EventsController, SchemasController } from './rest/events.controller.js';
import { Feed } from './streams/feed.js';
import { FeedMetrics, OpenStreams, STREAM_LIMITS, type StreamLimits } from './streams/open-streams.js';

const LOG = [ListEventsHandler, CountEventsHandler, ReadHistoriesHandler, EventsResolver, HistoryResolver];

/** The log without secrets for GraphQL and the console, and the public events over REST. */
@Module({})
export class EventsModule {
  /** @param limits limits of event streams; without them, as in the CLI, nothing is served */
  static forRoot(limits?: StreamLimits): DynamicModule {
    if (!limits) return { module: EventsModule, providers: LOG };
    return {
      module: EventsModule,
      controllers: [EventsController, SchemasController],
      providers: [...LOG, { provide: STREAM_LIMITS, useValue: limits }, OpenStreams, Feed, FeedMetrics, ReadEventsHandler],
    };
  }
}
