import { Module, type DynamicModule } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { ClockModule, type Clock } from '#libs/clock';
import { Database, DatabaseModule, openClock, type ServiceClaim } from '#libs/database';
import { EventStoreModule } from '#libs/event-store';
import { MonitoringModule, type MetricsRegistry } from '#libs/operations';
import { ProcessesModule } from '#libs/processes';
import { ProjectionsModule } from '#libs/projections';
import { PublicEventsModule } from '#libs/public-events';
import type { Logger } from 'pino';
import { composition, nestModules, publicEventCatalog } from './composition.js';
import type { Configuration } from './config/index.js';

export interface AppOptions {
  /** The command line may wait for a lock in place; the service never does. */
  readonly purpose: 'service' | 'cli';
  /** What the service has claimed of its database. */
  readonly claim?: ServiceClaim;
  /** That of the database unless given. */
  readonly clock?: Clock;
  /** The log of the query schema, which is served when this is given. */
  readonly graphqlLogger?: Logger;
  /** Where the server and the modules add their metrics; when left out there is no server, and so no console of it either. */
  readonly metrics?: MetricsRegistry;
  /** As in `ProcessesModuleOptions`; as the purpose has it when left out: those of a service do. */
  readonly polls?: boolean;
}

/** The whole application: the building blocks of `libs` and the modules of `modules.ts`. */
@Module({})
export class AppModule {
  /** @throws Error that names what two modules bring */
  static forRoot(configuration: Configuration, options: AppOptions): DynamicModule {
    const { purpose, claim, clock, graphqlLogger, metrics, polls = purpose === 'service' } = options;
    const { events, projections, migrations } = composition();
    return {
      module: AppModule,
      imports: [
        MonitoringModule.forRoot(metrics),
        CqrsModule.forRoot(),
        DatabaseModule.forRoot({ location: configuration.database, purpose, migrations, claim }),
        ClockModule.forRoot({ inject: [Database], useFactory: (database: Database) => clock ?? openClock(database) }),
        EventStoreModule.forRoot(events),
        PublicEventsModule.forRoot(publicEventCatalog(configuration)),
        ProjectionsModule.forRoot(projections),
        ProcessesModule.forRoot({ polls }),
        ...nestModules({
          console: metrics && configuration.console,
          deployment: configuration.deployment,
          feed: configuration.feed,
          graphql: configuration.graphql,
          idempotencyRetention: configuration.idempotencyRetention,
          logsClientAddress: configuration.logsClientAddress,
          orderReservation: configuration.orderReservation,
          webhooks: configuration.webhooks,
          polls,
          purpose,
          limits: configuration.rateLimits,
          ...(configuration.redis && { redis: configuration.redis }),
          ...(graphqlLogger && { graphqlLogger }),
        }),
      ],
    };
  }
}
