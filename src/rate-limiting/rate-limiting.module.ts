import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { getOptionsToken, getStorageToken } from '@nestjs/throttler';
import { Database } from '#libs/database';
import { BanRecorder } from './admission/ban-recorder.js';
import { RateLimitHook } from './admission/rate-limit.hook.js';
import { RATE_LIMITS, RateLimiter, type RateLimits } from './admission/rate-limiter.js';
import { LimiterThrottlerStorage, RouteLimitGuard, throttlerOptions } from './admission/route-limit.guard.js';
import { CountingHealthIndicator } from './counting.health-indicator.js';
import { ApiKeyUsageResolver } from './graphql/api-key-usage.resolver.js';
import { ListKeyUsagesHandler } from './queries/list-key-usages.query.js';
import { RateLimitMetrics } from './rate-limiting.metrics.js';
import { loadCountersOf } from './store/counter-table.js';
import { CounterPersistence } from './store/counter-persistence.js';
import { InProcessLimiterStore } from './store/in-process-limiter.store.js';
import { InProcessLimiterStatus, LimiterStatus, LimiterStore } from './store/limiter.store.js';
import { CountsExchange } from './store/redis/counts-exchange.js';
import { RedisCounters, type RedisCountersOptions } from './store/redis/redis-counters.js';
import { RedisLink } from './store/redis/redis-link.js';
import { SharedLimiterStore } from './store/shared-limiter.store.js';

export interface RateLimitingModuleOptions {
  readonly limits: RateLimits;
  /** The command line counts nothing: it only reads what a service has saved. */
  readonly purpose: 'service' | 'cli';
  /** Where all instances count together; undefined: each counts in its own memory. */
  readonly redis?: SharedCountersOptions;
}

export interface SharedCountersOptions extends Pick<RedisCountersOptions, 'keyPrefix'> {
  readonly url: string;
}

/** Limits requests by plan and by client address, bans keys that do not heed it, and tells what is used up. */
@Module({})
export class RateLimitingModule {
  static forRoot({ limits, purpose, redis }: RateLimitingModuleOptions): DynamicModule {
    return {
      module: RateLimitingModule,
      providers: [
        ListKeyUsagesHandler,
        ApiKeyUsageResolver,
        ...(purpose === 'service' ? [...serviceProviders(limits), ...storeProviders(limits, redis)] : []),
      ],
      exports: purpose === 'service' ? [RateLimitHook, LimiterStatus] : [],
    };
  }
}

function serviceProviders(limits: RateLimits): Provider[] {
  return [
    { provide: RATE_LIMITS, useValue: limits },
    CounterPersistence,
    BanRecorder,
    CountingHealthIndicator,
    RateLimitMetrics,
    RateLimiter,
    RateLimitHook,
    LimiterThrottlerStorage,
    { provide: getOptionsToken(), useValue: throttlerOptions(limits.createBurstPerSecond) },
    { provide: getStorageToken(), useExisting: LimiterThrottlerStorage },
    { provide: APP_GUARD, useClass: RouteLimitGuard },
  ];
}

function storeProviders({ bans }: RateLimits, redis: SharedCountersOptions | undefined): Provider[] {
  const inProcess = { provide: InProcessLimiterStore, useValue: new InProcessLimiterStore(bans) };
  if (!redis) {
    return [
      inProcess,
      { provide: LimiterStore, useExisting: InProcessLimiterStore },
      { provide: LimiterStatus, useClass: InProcessLimiterStatus },
    ];
  }
  return [
    inProcess,
    {
      provide: CountsExchange,
      useFactory: (store: InProcessLimiterStore, { reader }: Database) => {
        const stored = async (keyId: bigint) => (await loadCountersOf(reader, [keyId])).get(keyId);
        return new CountsExchange({ keyPrefix: redis.keyPrefix, store, stored });
      },
      inject: [InProcessLimiterStore, Database],
    },
    {
      provide: RedisLink,
      useFactory: (exchange: CountsExchange) => new RedisLink(redis, (connection) => exchange.listen(connection)),
      inject: [CountsExchange],
    },
    { provide: RedisCounters, useValue: new RedisCounters({ ...redis, bans }) },
    {
      provide: LimiterStore,
      useFactory: (link: RedisLink, counters: RedisCounters, exchange: CountsExchange, alone: InProcessLimiterStore) =>
        new SharedLimiterStore(link, counters, exchange, alone),
      inject: [RedisLink, RedisCounters, CountsExchange, InProcessLimiterStore],
    },
    { provide: LimiterStatus, useExisting: RedisLink },
  ];
}
