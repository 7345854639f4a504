import { domainModule } from '#libs/domain-modules';
import { registerKeyUsageCommand } from './cli/key-usage.cli.js';
import { CreateRateLimitCounters1767226200000 } from './migrations/create-rate-limit-counters.migration.js';
import { RateLimitingModule, type RateLimitingModuleOptions } from './rate-limiting.module.js';

export type { RateLimitHeaders } from './admission/rate-limit-headers.js';
export { CreateRateLimitCounters1767226200000 };
export { RateLimitHook } from './admission/rate-limit.hook.js';
export type { Verdict } from './admission/rate-limiter.js';
export type { RateLimits } from './rate-limits.token.js';
export { LimiterStatus, type Counting } from './store/limiter-status.js';
export { LimitsCreateBurst } from './throttling/create-burst.decorator.js';

/** The limits of plans and addresses, and bans. */
export const rateLimiting = domainModule<RateLimitingModuleOptions>({
  name: 'rate-limiting',
  module: (settings) => RateLimitingModule.forRoot(settings),
  migrations: [CreateRateLimitCounters1767226200000],
  tables: ['rate_limit_counters'],
  commandLine: [registerKeyUsageCommand],
});
