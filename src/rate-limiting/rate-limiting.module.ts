import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { getOptionsToken, getStorageToken, type ThrottlerModuleOptions } from '@nestjs/throttler';
import { RateLimitStep } from './admission/rate-limit.step.js';
import { RateLimiter } from './admission/rate-limiter.js';
import { BanRecorder } from './bans/ban-recorder.js';
import { CounterUpkeep } from './persistence/counter-upkeep.js';
import { ApiKeyUsageResolver } from './graphql/api-key-usage.resolver.js';
import { GetKeyUsageHandler } from './queries/get-key-usage.query.js';
import { ListKeyUsagesHandler } from './queries/list-key-usages.query.js';
import { RATE_LIMITS, type RateLimits } from './rate-limits.token.js';
import { InProcessLimiterStore } from './store/in-process-limiter.store.js';
import { LimiterStore } from './store/limiter.store.js';
import { CREATE_BURST } from './throttling/create-burst.decorator.js';
import { LimiterThrottlerStorage } from './throttling/limiter-throttler-storage.js';
import { RouteLimitGuard } from './throttling/route-limit.guard.js';

export interface RateLimitingModuleOptions {
  readonly limits: RateLimits;
  /** The command line counts nothing: it only reads what a service has saved. */
  readonly purpose: 'service' | 'cli';
}

/** Limits requests by plan and by client address, bans keys that do not heed it, and tells what is used up. */
@Module({})
export class RateLimitingModule {
  static forRoot({ limits, purpose }: RateLimitingModuleOptions): DynamicModule {
    return {
      module: RateLimitingModule,
      providers: [
        GetKeyUsageHandler,
        ListKeyUsagesHandler,
        ApiKeyUsageResolver,
        ...(purpose === 'service' ? serviceProviders(limits) : []),
      ],
      exports: purpose === 'service' ? [RateLimitStep] : [],
    };
  }
}

function serviceProviders(limits: RateLimits): Provider[] {
  return [
    { provide: RATE_LIMITS, useValue: limits },
    { provide: InProcessLimiterStore, useValue: new InProcessLimiterStore(limits.bans) },
    { provide: LimiterStore, useExisting: InProcessLimiterStore },
    CounterUpkeep,
    BanRecorder,
    RateLimiter,
    RateLimitStep,
    LimiterThrottlerStorage,
    { provide: getOptionsToken(), useValue: throttlerOptions(limits) },
    { provide: getStorageToken(), useExisting: LimiterThrottlerStorage },
    { provide: APP_GUARD, useClass: RouteLimitGuard },
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
