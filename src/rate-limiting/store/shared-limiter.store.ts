import type { Allowance, Decision } from '../domain/decision.js';
import type { RouteDecision, RouteLimit } from '../domain/route-hits.js';
import { InProcessLimiterStore } from './in-process-limiter.store.js';
import { LimiterStore, type Subject } from './limiter.store.js';
import type { CountsExchange } from './redis/counts-exchange.js';
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
    private readonly exchange: CountsExchange,
    private readonly alone: InProcessLimiterStore,
  ) {
    super();
  }

  decide(subject: Subject, now: number): Decision | Promise<Decision> {
    const decision = this.count(subject, now, 'address' in subject);
    return decision instanceof Promise ? decision.then((decided) => decided ?? this.begin(subject, now)) : decision;
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

  /** @returns a promise of undefined where Redis has no counts of the caller, and none may begin */
  private count(subject: Subject, now: number, mayBegin: boolean): Decision | Promise<Decision | undefined> {
    return this.link.ask<Decision | undefined, Decision>(
      async (redis) => {
        const decided = await this.counters.decide(redis, { subject, known: this.alone.peek(subject), now }, mayBegin);
        if (decided) this.alone.remember(subject, decided.counts, decided.decision);
        return decided?.decision;
      },
      () => this.alone.decide(subject, now),
    );
  }

  /** Counts a request of a key of which Redis knows nothing: it is the first of a day, or Redis has lost what it knew. */
  private async begin(subject: Subject, now: number): Promise<Decision> {
    if ('keyId' in subject) await this.exchange.gather(this.link, subject.keyId);
    return (await this.count(subject, now, true)) ?? this.alone.decide(subject, now);
  }
}
