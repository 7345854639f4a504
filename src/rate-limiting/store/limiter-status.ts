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
