import { Module, type DynamicModule } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { Clock, SystemClock } from '#libs/clock';
import { DatabaseModule, type ServiceClaim } from '#libs/database';
import { EventStoreModule } from '#libs/event-store';
import { MonitoringModule, type MetricsRegistry } from '#libs/operations';
import { ProcessesModule } from '#libs/processes';
import { ProjectionsModule } from '#libs/projections';
import { PublicEventsModule } from '#libs/public-events';
import { TracingModule, type Tracing } from '#libs/tracing';
import type { Logger } from 'pino';
import { composition, nestModules, publicEventCatalog } from './composition.js';
import type { Configuration } from './config/index.js';

export interface AppOptions {
  /** The command line may wait for a lock in place; the service never does. */
  readonly purpose: 'service' | 'cli';
  /** What the service has claimed of its database. */
  readonly claim?: ServiceClaim;
  readonly clock?: Clock;
  /** The log of the query schema, which is served when this is given. */
  readonly graphqlLogger?: Logger;
  /** Where the server and the modules add their metrics; when left out there is no server, and so no console of it either. */
  readonly metrics?: MetricsRegistry;
  /** Nothing is traced when left out. */
  readonly tracing?: Tracing;
  /** As in `ProcessesModuleOptions`; as the purpose has it when left out: those of a service do. */
  readonly polls?: boolean;
}

/** The whole application: the building blocks of `libs` and the modules of `modules.ts`. */
@Module({})
export class AppModule {
  /** @throws Error that names what two modules bring */
  static forRoot(configuration: Configuration, options: AppOptions): DynamicModule {
    const { purpose, claim, clock, graphqlLogger, metrics, tracing, polls = purpose === 'service' } = options;
    const { events, projections, migrations } = composition();
    return {
      module: AppModule,
      imports: [
        { module: ClockModule, global: true, providers: [{ provide: Clock, useValue: clock ?? new SystemClock() }], exports: [Clock] },
        MonitoringModule.forRoot(metrics),
        TracingModule.forRoot(tracing),
        CqrsModule.forRoot(),
        DatabaseModule.forRoot({ location: configuration.database, purpose, migrations, claim }),
        EventStoreModule.forRoot(events),
        PublicEventsModule.forRoot(publicEventCatalog(configuration.deployment, configuration.baseUrls)),
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
          // A clock that is given is set by a test and holds for counters in Redis too.
          ...(configuration.redis && { redis: { ...configuration.redis, timeFrom: clock ? 'caller' : 'redis' } }),
          ...(graphqlLogger && { graphqlLogger }),
        }),
      ],
    };
  }
}

@Module({})
class ClockModule {}
