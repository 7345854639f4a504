import { Module, type DynamicModule } from '@nestjs/common';
import { PublicEventCatalog } from './public-event-catalog.js';
import { PublicEventFollower } from './public-event-follower.js';
import { PublicEventLog } from './public-event-log.js';

/** Provides `PublicEventCatalog` and `PublicEventLog` to all modules. Needs `EventStore`. */
@Module({})
export class PublicEventsModule {
  static forRoot(catalog: PublicEventCatalog): DynamicModule {
    return {
      module: PublicEventsModule,
      global: true,
      providers: [{ provide: PublicEventCatalog, useValue: catalog }, PublicEventLog, PublicEventFollower],
      exports: [PublicEventCatalog, PublicEventLog, PublicEventFollower],
    };
  }
}
