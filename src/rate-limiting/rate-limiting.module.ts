import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { Database } from '#libs/database';
import { BanRecorder } from './admission/ban-recorder.js';
import { RATE_LIMITS, RateLimitHook, type RateLimits } from './admission/rate-limit.hook.js';
import { RouteLimitGuard } from './admission/route-limit.guard.js';
import { ApiKeyUsageResolver } from './graphql/api-key-usage.resolver.js';
import { ListKeyUsagesHandler } from './queries/list-key-usages.query.js';
import { CountingHealthIndicator, RateLimitMetrics } from './rate-limiting.metrics.js';
import { CounterPersistence, loadCounters } from './store/counter-persistence.js';
import { InProcessLimiterStore } from './store/in-process-limiter.store.js';
import { LimiterStore } from './store/limiter.store.js';
import type { RedisServer } from './store/redis/redis-link.js';
import { SharedLimiterStore } from './store/shared-limiter.store.js';

export interface RateLimitingModuleOptions {
  readonly limits: RateLimits;
  /** The command line counts nothing: it only reads what a service has saved. */
  readonly purpose: 'service' | 'cli';
  /** Where all instances count together. Default: each counts in its own memory. */
  readonly redis?: RedisServer;
}

/** Limits requests by plan and by client address, bans keys that ignore it, and tells what is used up. */
@Module({})
export class RateLimitingModule {
  static forRoot({ limits, purpose, redis }: RateLimitingModuleOptions): DynamicModule {
    return {
      module: RateLimitingModule,
      providers: [ListKeyUsagesHandler, ApiKeyUsageResolver, ...(purpose === 'service' ? serviceProviders(limits, redis) : [])],
      exports: purpose === 'service' ? [RateLimitHook, LimiterStore] : [],
    };
  }
}

function serviceProviders(limits: RateLimits, redis: RedisServer | undefined): Provider[] {
  const { bans } = limits;
  return [
    { provide: RATE_LIMITS, useValue: limits },
    { provide: InProcessLimiterStore, useValue: new InProcessLimiterStore(bans) },
    redis ? sharedStore(redis, bans) : { provide: LimiterStore, useExisting: InProcessLimiterStore },
    CounterPersistence,
    BanRecorder,
    CountingHealthIndicator,
    RateLimitMetrics,
    RateLimitHook,
    { provide: APP_GUARD, useClass: RouteLimitGuard },
  ];
}

function sharedStore(redis: RedisServer, bans: RateLimits['bans']): Provider {
  return {
    provide: LimiterStore,
    useFactory: (alone: InProcessLimiterStore, { reader }: Database) => {
      const load = async (keyId: bigint) => (await loadCounters(reader, [keyId])).get(keyId);
      return new SharedLimiterStore({ redis, bans, alone, load });
    },
    inject: [InProcessLimiterStore, Database],
  };
}
