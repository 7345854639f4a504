import { domainModule } from '#libs/http';
import { RateLimitingModule } from './rate-limiting.module.js';
import { rateLimitSettings } from './rate-limiting.settings.js';
import { createRateLimitCounters } from './store/counter-persistence.js';
import { createDailyUsage, dailyUsageRetention } from './usage/daily-usage.js';

export { CLIENT_ADDRESSES } from './admission/client-address.js';
export { RateLimitHook } from './admission/rate-limit.hook.js';
export { LimitsCreateBurst } from './admission/route-limit.guard.js';
export { LimiterStore } from './store/limiter.store.js';

/** The limits of plans and addresses, and bans. */
export const rateLimiting = domainModule({
  name: 'rate-limiting',
  settings: rateLimitSettings,
  configuredModule: (context) => RateLimitingModule.forRoot(context),
  migrations: [createRateLimitCounters, createDailyUsage],
  retention: [dailyUsageRetention],
});
