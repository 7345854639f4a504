import type { RecordedBan } from '../domain/bans.js';
import type { Allowance, Decision } from '../domain/decision.js';
import type { RouteDecision, RouteLimit } from '../domain/route-hits.js';
import type { Limits } from '../domain/windows.js';

/** An API key as the limiter sees it. A change of its limits counts at once; what was used up stays used up. */
export interface KeySubject {
  readonly keyId: bigint;
  readonly limits: Limits;
  /** Its last ban as far as the log has it. */
  readonly ban: RecordedBan;
}

/** Everybody at one client address: those without a valid key, or those who ask for what is open to everybody. */
export interface AddressSubject {
  /** An IPv4 address or an IPv6 network, such as `192.0.2.7` or `2001:db8:0:1::/64`; with `open:` before it for what is open. */
  readonly address: string;
  readonly limits: Limits;
}

export type Subject = KeySubject | AddressSubject;

/**
 * Where requests are counted. Times are milliseconds since 1970. An answer may come at once or as a promise; either way the
 * decision on one request is atomic: of any number of simultaneous ones exactly the allowed number pass.
 */
export abstract class LimiterStore {
  /** Decides on one request and counts it: in both windows or, when it is refused, in neither. */
  abstract decide(subject: Subject, now: number): Decision | Promise<Decision>;

  /** What a client would be told now. Counts nothing. */
  abstract inspect(subject: Subject, now: number): Allowance | Promise<Allowance>;

  /** Decides on one request to a route with an extra limit and counts it when it is let through. `name`: who sends what. */
  abstract hit(name: string, limit: RouteLimit, now: number): RouteDecision | Promise<RouteDecision>;
}

/**
 * Who counts: all instances together in Redis; this instance alone because Redis does not answer; or this process because no
 * Redis is configured.
 */
export type Counting = 'shared' | 'alone' | 'in-process';

/** Tells, for readiness and metrics, where requests are counted at the moment. */
export abstract class LimiterStatus {
  abstract readonly counting: Counting;
}

/** The status of a service without Redis. */
export class InProcessLimiterStatus extends LimiterStatus {
  readonly counting = 'in-process';
}
