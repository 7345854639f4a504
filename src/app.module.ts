import { Module, type DynamicModule } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import type { Logger } from 'pino';
import { ClockModule, type Clock, MonitoringModule, type MetricsRegistry } from '#libs/observability';
import { Database, DatabaseModule, openClock, type ServiceClaim } from '#libs/database';
import { EventSourcingModule, listTableNames } from '#libs/event-sourcing';
import { EnhancedHandlersModule, PublicEventsModule } from '#libs/http';
import { composition, nestModules, publicEventCatalog } from './bootstrap/composition.js';
import { StartChecksModule } from './bootstrap/start-checks.module.js';
import type { Configuration } from './config/index.js';

export interface AppOptions {
  /** The CLI may wait for a lock; the service never does. */
  readonly purpose: 'service' | 'cli';
  /** The service's claim on its database. */
  readonly claim?: ServiceClaim;
  /** Default: the clock of the database. */
  readonly clock?: Clock;
  /** The log of the GraphQL schema, which is served only if this is given. */
  readonly graphqlLogger?: Logger;
  /** Where modules register metrics. Without it there is no server, and no console. */
  readonly metrics?: MetricsRegistry;
  /** Whether background work (timeouts, followers, deliveries) runs by itself. Default: true for the service, false for the CLI. */
  readonly polls?: boolean;
}

/** The whole application: the building blocks of `libs` and the modules in `modules.ts`. */
@Module({})
export class AppModule {
  /** @throws Error that names what two modules declare */
  static forRoot(configuration: Configuration, options: AppOptions): DynamicModule {
    const { purpose, claim, clock, graphqlLogger, metrics, polls = purpose === 'service' } = options;
    const { events, projections, migrations } = composition();
    return {
      module: AppModule,
      imports: [
        StartChecksModule,
        EnhancedHandlersModule,
        MonitoringModule.forRoot(metrics),
        CqrsModule.forRoot(),
        DatabaseModule.forRoot({ location: configuration.database, purpose, migrations, tableNames: listTableNames(projections), claim }),
        ClockModule.forRoot({ inject: [Database], useFactory: (database: Database) => clock ?? openClock(database) }),
        EventSourcingModule.forRoot({ events, projections, polls }),
        PublicEventsModule.forRoot(publicEventCatalog(configuration)),
        ...nestModules(
          { ...configuration, console: metrics && configuration.console, graphqlLogger, polls, purpose },
          configuration.modules,
        ),
      ],
    };
  }
}
