export type { RateLimitHeaders } from './admission/rate-limit-headers.js';
export { RateLimitHook } from './admission/rate-limit.hook.js';
export type { Verdict } from './admission/rate-limiter.js';
export { registerKeyUsageCommand } from './cli/key-usage.cli.js';
export { CreateRateLimitCounters1767226200000 } from './migrations/create-rate-limit-counters.migration.js';
export { RateLimitingModule, type RateLimitingModuleOptions } from './rate-limiting.module.js';
export type { RateLimits } from './rate-limits.token.js';
export { LimiterStatus, type Counting } from './store/limiter-status.js';
export { LimitsCreateBurst } from './throttling/create-burst.decorator.js';
