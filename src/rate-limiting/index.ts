import { domainModule } from '#libs/http';
import { RateLimitingModule, type RateLimitingModuleOptions } from './rate-limiting.module.js';
import { CreateRateLimitCounters1767226200000 } from './store/counter-persistence.js';

export { CLIENT_ADDRESSES } from './admission/client-address.js';
export { RateLimitHook } from './admission/rate-limit.hook.js';
export { LimitsCreateBurst } from './admission/route-limit.guard.js';
export { ListKeyUsages, type WindowUsage } from './queries/list-key-usages.query.js';
export { LimiterStore } from './store/limiter.store.js';

/** The limits of plans and addresses, and bans. */
export const rateLimiting = domainModule<RateLimitingModuleOptions>({
  name: 'rate-limiting',
  configuredModule: (settings) => RateLimitingModule.forRoot(settings),
  migrations: [CreateRateLimitCounters1767226200000],
  tables: ['rate_limit_counters'],
});
