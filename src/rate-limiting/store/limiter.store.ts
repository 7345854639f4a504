import type { RecordedBan } from '../../auth/index.js';
import type { Decision, LimitStatus, Terms } from '../domain/decision.js';

/** An API key as the limiter sees it. A change of its limits takes effect at once; what was used up stays used up. */
export interface KeySubject extends Terms {
  readonly keyId: bigint;
  readonly ban: RecordedBan;
}

/** Everybody at one client address, or one caller of a handler that has a limit of its own. */
export interface AddressSubject extends Terms {
  /**
   * An IPv4 address or an IPv6 network, such as `192.0.2.7` or `2001:db8:0:1::/64`, for callers without a valid key; the same after `open:`
   * for all callers of public routes; or a handler and its caller after `route:`.
   */
  readonly address: string;
}

export type Subject = KeySubject | AddressSubject;

/** Where requests are counted: by all instances in Redis; by each instance while Redis does not answer; or without Redis. */
export type Counting = 'shared' | 'alone' | 'in-process';

/**
 * Counts requests. Times are milliseconds since 1970. Returns a promise only if it has to ask another server. The decision on a request is
 * atomic: of any number of simultaneous requests exactly the allowed number is admitted.
 */
export abstract class LimiterStore {
  abstract readonly counting: Counting;

  /** Decides on a request and counts it: in all windows or, if it is refused, in none. */
  abstract decide(subject: Subject, now: number): Decision | Promise<Decision>;

  /** Returns the state of the client's limits as this instance knows it, which is that of its last decision or later. Counts nothing. */
  abstract inspect(subject: Subject, now: number): LimitStatus;
}
