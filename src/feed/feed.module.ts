import { Module, type DynamicModule } from '@nestjs/common';
import { FeedMetrics } from './feed.metrics.js';
import { ReadEventsHandler } from './queries/read-events.query.js';
import { EventsController } from './rest/events.controller.js';
import { SchemasController } from './rest/schemas.controller.js';
import { Feed } from './streams/feed.js';
import { OpenStreams, STREAM_LIMITS, type StreamLimits } from './streams/open-streams.js';

export interface FeedModuleOptions {
  readonly feed: StreamLimits;
}

/** The events that leave the service, for who asks for them. */
@Module({})
export class FeedModule {
  static forRoot({ feed }: FeedModuleOptions): DynamicModule {
    return {
      module: FeedModule,
      controllers: [EventsController, SchemasController],
      providers: [{ provide: STREAM_LIMITS, useValue: feed }, OpenStreams, Feed, FeedMetrics, ReadEventsHandler],
    };
  }
}
