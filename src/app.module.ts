import { Module, type DynamicModule } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { Clock, SystemClock } from '#libs/clock';
import { DatabaseModule, type ServiceClaim } from '#libs/database';
import { EventStoreModule, idempotencyKeyRetention } from '#libs/event-store';
import { type MetricsRegistry, MonitoringModule } from '#libs/operations';
import { ProjectionsModule } from '#libs/projections';
import type { Logger } from 'pino';
import { AuthModule } from './auth/index.js';
import type { Configuration } from './config/index.js';
import { EventLogModule } from './event-log/index.js';
import { graphqlModule } from './graphql/index.js';
import { migrations } from './migrations.js';
import { OperationsModule } from './operations/index.js';
import { importProgressRetention, PetsModule } from './pets/index.js';
import { RateLimitingModule } from './rate-limiting/index.js';

export interface AppOptions {
  /** The command line may wait for a lock in place; the service never does. */
  readonly purpose: 'service' | 'cli';
  /** What the service has claimed of its database. */
  readonly claim?: ServiceClaim;
  readonly clock?: Clock;
  /** The log of the query schema, which is served when this is given. */
  readonly graphqlLogger?: Logger;
  /** Where the modules add their metrics; a registry of its own when left out. */
  readonly metrics?: MetricsRegistry;
}

/** The whole application: the building blocks of `libs` and the modules of the domain. */
@Module({})
export class AppModule {
  static forRoot(configuration: Configuration, { purpose, claim, clock, graphqlLogger, metrics }: AppOptions): DynamicModule {
    return {
      module: AppModule,
      imports: [
        { module: ClockModule, global: true, providers: [{ provide: Clock, useValue: clock ?? new SystemClock() }], exports: [Clock] },
        MonitoringModule.forRoot(metrics),
        CqrsModule.forRoot(),
        DatabaseModule.forRoot({ location: configuration.database, purpose, migrations, claim }),
        EventStoreModule,
        ProjectionsModule,
        AuthModule.forRoot({ deployment: configuration.deployment }),
        RateLimitingModule.forRoot({
          limits: configuration.rateLimits,
          purpose,
          // A clock that is given is set by a test and holds for counters in Redis too.
          ...(configuration.redis && { redis: { ...configuration.redis, timeFrom: clock ? 'caller' : 'redis' } }),
        }),
        EventLogModule,
        PetsModule,
        ...(purpose === 'service'
          ? [
              OperationsModule.forRoot({
                migrations,
                retention: [idempotencyKeyRetention(configuration.idempotencyRetention), importProgressRetention],
              }),
            ]
          : []),
        ...(graphqlLogger ? [graphqlModule({ ...configuration.graphql, logger: graphqlLogger })] : []),
      ],
    };
  }
}

@Module({})
class ClockModule {}
