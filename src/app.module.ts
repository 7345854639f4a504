import { Module, type DynamicModule } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { Clock, SystemClock } from '#libs/clock';
import { DatabaseModule } from '#libs/database';
import { EventStoreModule } from '#libs/event-store';
import { ProjectionsModule } from '#libs/projections';
import type { Logger } from 'pino';
import { AuthModule } from './auth/index.js';
import type { Configuration } from './config/index.js';
import { EventLogModule } from './event-log/index.js';
import { graphqlModule } from './graphql/index.js';
import { migrations } from './migrations.js';
import { PetsModule } from './pets/index.js';
import { RateLimitingModule } from './rate-limiting/index.js';

export interface AppOptions {
  /** The command line may wait for a lock in place; the service never does. */
  readonly purpose: 'service' | 'cli';
  readonly clock?: Clock;
  /** The log of the query schema, which is served when this is given. */
  readonly graphqlLogger?: Logger;
}

/** The whole application: the building blocks of `libs` and the modules of the domain. */
@Module({})
export class AppModule {
  static forRoot(configuration: Configuration, { purpose, clock = new SystemClock(), graphqlLogger }: AppOptions): DynamicModule {
    return {
      module: AppModule,
      imports: [
        { module: ClockModule, global: true, providers: [{ provide: Clock, useValue: clock }], exports: [Clock] },
        CqrsModule.forRoot(),
        DatabaseModule.forRoot({ location: configuration.database, purpose, migrations }),
        EventStoreModule,
        ProjectionsModule,
        AuthModule.forRoot({ deployment: configuration.deployment }),
        RateLimitingModule.forRoot({ limits: configuration.rateLimits, purpose }),
        EventLogModule,
        PetsModule,
        ...(graphqlLogger ? [graphqlModule({ ...configuration.graphql, logger: graphqlLogger })] : []),
      ],
    };
  }
}

@Module({})
class ClockModule {}
