import type { BanRules } from './domain/bans.js';
import type { Limits } from './domain/windows.js';

/** What is limited beside the plans of API keys. */
export interface RateLimits {
  /** For all callers without a valid key at one client address together. */
  readonly anonymous: Limits;
  /** For all requests from one client address for what is open to everybody. */
  readonly open: Limits;
  readonly bans: BanRules;
  /** Animals that one key may add in a second; 0: as many as its plan allows. */
  readonly createBurstPerSecond: number;
}

export const RATE_LIMITS = Symbol('what is limited beside the plans of API keys');
