import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { getOptionsToken, getStorageToken, type ThrottlerModuleOptions } from '@nestjs/throttler';
import { RateLimitHook } from './admission/rate-limit.hook.js';
import { RateLimiter } from './admission/rate-limiter.js';
import { BanRecorder } from './bans/ban-recorder.js';
import { CountingHealthIndicator } from './counting.health-indicator.js';
import { CounterUpkeep } from './persistence/counter-upkeep.js';
import { ApiKeyUsageResolver } from './graphql/api-key-usage.resolver.js';
import { GetKeyUsageHandler } from './queries/get-key-usage.query.js';
import { ListKeyUsagesHandler } from './queries/list-key-usages.query.js';
import { RateLimitMetrics } from './rate-limiting.metrics.js';
import { RATE_LIMITS, type RateLimits } from './rate-limits.token.js';
import { InProcessLimiterStore } from './store/in-process-limiter.store.js';
import { InProcessLimiterStatus, LimiterStatus } from './store/limiter-status.js';
import { LimiterStore } from './store/limiter.store.js';
import { RedisCounters, type RedisCountersOptions } from './store/redis/redis-counters.js';
import { RedisLink } from './store/redis/redis-link.js';
import { SharedLimiterStore } from './store/shared-limiter.store.js';
import { CREATE_BURST } from './throttling/create-burst.decorator.js';
import { LimiterThrottlerStorage } from './throttling/limiter-throttler-storage.js';
import { RouteLimitGuard } from './throttling/route-limit.guard.js';

export interface RateLimitingModuleOptions {
  readonly limits: RateLimits;
  /** The command line counts nothing: it only reads what a service has saved. */
  readonly purpose: 'service' | 'cli';
  /** Where all instances count together; undefined: each counts in its own memory. */
  readonly redis?: SharedCountersOptions;
}

export interface SharedCountersOptions extends Pick<RedisCountersOptions, 'timeFrom' | 'keyPrefix'> {
  readonly url: string;
}

/** Limits requests by plan and by client address, bans keys that do not heed it, and tells what is used up. */
@Module({})
export class RateLimitingModule {
  static forRoot({ limits, purpose, redis }: RateLimitingModuleOptions): DynamicModule {
    return {
      module: RateLimitingModule,
      providers: [
        GetKeyUsageHandler,
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
    CounterUpkeep,
    BanRecorder,
    CountingHealthIndicator,
    RateLimitMetrics,
    RateLimiter,
    RateLimitHook,
    LimiterThrottlerStorage,
    { provide: getOptionsToken(), useValue: throttlerOptions(limits) },
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
    { provide: RedisLink, useFactory: () => new RedisLink(redis) },
    { provide: RedisCounters, useFactory: () => new RedisCounters({ ...redis, bans }) },
    {
      provide: LimiterStore,
      useFactory: (link: RedisLink, counters: RedisCounters, alone: InProcessLimiterStore) => new SharedLimiterStore(link, counters, alone),
      inject: [RedisLink, RedisCounters, InProcessLimiterStore],
    },
    { provide: LimiterStatus, useExisting: RedisLink },
  ];
}

/** `@Throttle` under another name needs nothing here. */
function throttlerOptions({ createBurstPerSecond }: RateLimits): ThrottlerModuleOptions {
  return {
    throttlers: [{ name: CREATE_BURST, limit: createBurstPerSecond === 0 ? Infinity : createBurstPerSecond, ttl: 1_000 }],
    // The headers of an answer tell of the plan; a second set under the same names would contradict them.
    setHeaders: false,
  };
}
