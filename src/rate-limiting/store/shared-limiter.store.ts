import type { Allowance, Decision } from '../domain/decision.js';
import type { RouteDecision, RouteLimit } from '../domain/route-hits.js';
import { InProcessLimiterStore } from './in-process-limiter.store.js';
import { LimiterStore, type Subject } from './limiter.store.js';
import type { RedisCounters } from './redis/redis-counters.js';
import type { RedisLink } from './redis/redis-link.js';

/**
 * Counts of all instances together in Redis. What Redis says is remembered in this process, which goes on from there alone
 * while Redis does not answer, and tells Redis what it counted when it asks it again.
 */
export class SharedLimiterStore extends LimiterStore {
  constructor(
    private readonly link: RedisLink,
    private readonly counters: RedisCounters,
    private readonly alone: InProcessLimiterStore,
  ) {
    super();
  }

  decide(subject: Subject, now: number): Decision | Promise<Decision> {
    return this.link.ask(
      async (redis) => {
        const { decision, counts } = await this.counters.decide(redis, { subject, known: this.alone.peek(subject), now });
        this.alone.remember(subject, counts, decision);
        return decision;
      },
      () => this.alone.decide(subject, now),
    );
  }

  inspect(subject: Subject, now: number): Allowance | Promise<Allowance> {
    return this.link.ask(
      (redis) => this.counters.inspect(redis, { subject, known: this.alone.peek(subject), now }),
      () => this.alone.inspect(subject, now),
    );
  }

  hit(name: string, limit: RouteLimit, now: number): RouteDecision | Promise<RouteDecision> {
    return this.link.ask(
      async (redis) => {
        const { decision, hits } = await this.counters.hit(redis, name, limit, now);
        this.alone.rememberHits(name, hits);
        return decision;
      },
      () => this.alone.hit(name, limit, now),
    );
  }
}
