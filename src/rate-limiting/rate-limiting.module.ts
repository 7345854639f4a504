import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { Database } from '#libs/database';
import type { ModuleContext } from '#libs/http';
import { BanRecorder } from './admission/ban-recorder.js';
import { RATE_LIMITS, RateLimitHook, type RateLimits } from './admission/rate-limit.hook.js';
import { RouteLimitGuard } from './admission/route-limit.guard.js';
import { FindUsedTodayHandler, GetKeyLimitsHandler, ListDailyUsageHandler, ListKeyUsagesHandler } from './queries/key-usage.query.js';
import { RateLimitMetrics } from './rate-limiting.metrics.js';
import { readAddressLimits, type RateLimitSettings } from './rate-limiting.settings.js';
import { CounterPersistence, loadCounters } from './store/counter-persistence.js';
import { InProcessLimiterStore } from './store/in-process-limiter.store.js';
import { LimiterStore } from './store/limiter.store.js';
import type { RedisServer } from './store/redis/redis-link.js';
import { SharedLimiterStore } from './store/shared-limiter.store.js';
import { DailyUsageRecorder } from './usage/daily-usage.js';

interface RateLimitingContext extends Pick<ModuleContext, 'purpose'> {
  readonly settings: RateLimitSettings;
}

/**
 * Limits requests by plan and by client address, bans keys that ignore it, and tells what is used up. The command line counts nothing: it
 * only reads what a service has saved.
 */
@Module({})
export class RateLimitingModule {
  static forRoot({ purpose, settings }: RateLimitingContext): DynamicModule {
    return {
      module: RateLimitingModule,
      providers: [
        FindUsedTodayHandler,
        ListDailyUsageHandler,
        ListKeyUsagesHandler,
        ...(purpose === 'service' ? serviceProviders(settings) : []),
      ],
      exports: purpose === 'service' ? [RateLimitHook, LimiterStore] : [],
    };
  }
}

function serviceProviders(settings: RateLimitSettings): Provider[] {
  const { redisUrl: url, redisKeyPrefix: keyPrefix } = settings;
  return [
    { provide: RATE_LIMITS, useValue: toRateLimits(settings) },
    InProcessLimiterStore,
    url ? sharedStore({ url, keyPrefix }) : { provide: LimiterStore, useExisting: InProcessLimiterStore },
    CounterPersistence,
    BanRecorder,
    DailyUsageRecorder,
    GetKeyLimitsHandler,
    RateLimitMetrics,
    RateLimitHook,
    { provide: APP_GUARD, useClass: RouteLimitGuard },
  ];
}

function toRateLimits(settings: RateLimitSettings): RateLimits {
  return {
    anonymous: readAddressLimits(settings, 'anonymous'),
    open: readAddressLimits(settings, 'open'),
    bans: settings.banAfter === 0 ? undefined : { after: settings.banAfter, grace: settings.banGrace, ladder: settings.banLadder },
    createBurstPerSecond: settings.createBurstPerSecond,
  };
}

function sharedStore(redis: RedisServer): Provider {
  return {
    provide: LimiterStore,
    useFactory: (alone: InProcessLimiterStore, { reader }: Database) => {
      const load = async (keyId: bigint) => (await loadCounters(reader, [keyId])).get(keyId);
      return new SharedLimiterStore(redis, alone, load);
    },
    inject: [InProcessLimiterStore, Database],
  };
}
