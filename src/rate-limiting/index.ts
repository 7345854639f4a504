export type { RateLimitHeaders } from './admission/announcement.js';
export { RateLimitStep } from './admission/rate-limit.step.js';
export type { RateLimits, Verdict } from './admission/rate-limiter.js';
export { LimitsCreateBurst } from './admission/route-limit.guard.js';
export { registerKeyUsageCommand } from './cli/key-usage.cli.js';
export { RateLimitingModule, type RateLimitingModuleOptions } from './rate-limiting.module.js';
export { CreateRateLimitCounters1767226200000 } from './store/create-rate-limit-counters.migration.js';
export { LimiterStatus, type Counting } from './store/limiter.store.js';
