import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { SpanKind, type SpanOptions } from '@opentelemetry/api';
import { inChildSpan, systemTimers, type Timers } from '#libs/observability';
import {
  lastBan,
  latestBan,
  limitStatus,
  newCounts,
  type BanRules,
  type Counts,
  type Decision,
  type LimitStatus,
} from '../domain/decision.js';
import type { RouteDecision, RouteHits, RouteLimit } from '../domain/route-hits.js';
import { InProcessLimiterStore } from './in-process-limiter.store.js';
import { LimiterStore, type Counting, type Subject } from './limiter.store.js';
import { CountsExchange } from './redis/counts-exchange.js';
import { ACTIONS, OUTCOMES, type DecisionReply } from './redis/decision.script.js';
import { connectRedis, RedisLink, type RedisServer } from './redis/redis-link.js';

export interface SharedLimiterStoreOptions {
  readonly redis: RedisServer;
  readonly bans: BanRules;
  /** The counts of this process, used while Redis does not answer. */
  readonly alone: InProcessLimiterStore;
  /** Loads the counts of a key from the database. */
  readonly load: (keyId: bigint) => Promise<Counts | undefined>;
  readonly timers?: Timers;
  readonly connect?: typeof connectRedis;
}

/**
 * Counts of all instances in Redis. This process remembers what Redis said, continues from there by itself while Redis does not answer, and
 * sends its counts with the next request that Redis decides.
 */
export class SharedLimiterStore extends LimiterStore implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly alone: InProcessLimiterStore;
  private readonly counters: RedisCounters;
  private readonly exchange: CountsExchange;
  private readonly link: RedisLink;

  constructor({ redis, bans, alone, load, timers = systemTimers, connect = connectRedis }: SharedLimiterStoreOptions) {
    super();
    this.alone = alone;
    this.counters = new RedisCounters(redis.keyPrefix, bans);
    this.exchange = new CountsExchange(redis.keyPrefix, alone, load, timers);
    this.link = new RedisLink(redis, (connection) => this.exchange.listen(connection), { timers, connect });
  }

  get counting(): Counting {
    return this.link.isUp ? 'shared' : 'alone';
  }

  onApplicationBootstrap(): Promise<void> {
    return this.link.open();
  }

  onApplicationShutdown(): void {
    this.link.close();
  }

  decide(subject: Subject, now: number): Decision | Promise<Decision> {
    const decision = this.count(subject, now, 'address' in subject);
    return decision instanceof Promise ? decision.then((decided) => decided ?? this.begin(subject, now)) : decision;
  }

  inspect(subject: Subject, now: number): LimitStatus | Promise<LimitStatus> {
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

  /** @returns a promise of undefined if Redis has no counts of the caller and may not begin any */
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

  /** Counts a request of a key that Redis has no counts of: it is the first of a day, or Redis has lost them. */
  private async begin(subject: Subject, now: number): Promise<Decision> {
    if ('keyId' in subject) await this.exchange.gather(this.link, subject.keyId);
    return (await this.count(subject, now, true)) ?? this.alone.decide(subject, now);
  }
}

/** A caller, the counts that this process knows of it, and the time of the clock that all instances share. */
export interface CounterRequest {
  readonly subject: Subject;
  readonly known: Counts | undefined;
  readonly now: number;
}

const NEVER_BANNED = lastBan(newCounts());
const NOTHING_KNOWN = newCounts();
const TO_END_OF_WINDOW = -1;

const REQUEST_SPAN = spanOptions('decideRequest');
const HIT_SPAN = spanOptions('decideHit');

/** Counts in Redis: one command, and so one round trip, for each decision. */
export class RedisCounters {
  constructor(
    private readonly keyPrefix: string,
    private readonly bans: BanRules,
  ) {}

  /**
   * Decides on a request and counts it, on top of known counts if they are higher.
   * @returns the decision and the counts after it; undefined, with nothing counted, if Redis has no counts of the caller and may not begin any
   */
  async decide(redis: Redis, request: CounterRequest, mayBegin: boolean): Promise<{ decision: Decision; counts: Counts } | undefined> {
    const reply = await this.run(redis, request, mayBegin ? ACTIONS.countAndBegin : ACTIONS.count);
    if (reply.length === 0) return undefined;
    const { outcome, at, counts } = readReply(reply);
    const status = limitStatus(counts, request.subject.limits, at);
    if (outcome !== 'newly banned') return { counts, decision: { outcome, ...status } };
    return { counts, decision: { outcome: 'banned', ...status, newBan: lastBan(counts) } };
  }

  /** Returns the current state of the client's limits. */
  async inspect(redis: Redis, request: CounterRequest): Promise<LimitStatus> {
    const reply = await this.run(redis, request, ACTIONS.tell);
    if (reply.length === 0) throw new Error('Redis returned no counts of a caller.');
    const { at, counts } = readReply(reply);
    return limitStatus(counts, request.subject.limits, at);
  }

  /** Decides on a request to a handler with its own limit. */
  async hit(redis: Redis, name: string, limit: RouteLimit, now: number): Promise<{ decision: RouteDecision; hits: RouteHits }> {
    const key = `${this.keyPrefix}route:${name}`;
    const reply = await inChildSpan('EVALSHA decideHit', HIT_SPAN, () =>
      redis.decideHit(key, now, limit.limit, limit.length, limit.blockedFor ?? TO_END_OF_WINDOW),
    );
    const [at, isAdmitted, windowEndsAt, hits, blockedUntil] = reply;
    const admitted = isAdmitted === 1;
    return {
      decision: { at, admitted, hits, endsAt: admitted ? windowEndsAt : blockedUntil },
      hits: { windowEndsAt, hits, blockedUntil },
    };
  }

  private run(redis: Redis, { subject, known = NOTHING_KNOWN, now }: CounterRequest, action: number): Promise<DecisionReply | readonly []> {
    const { perMinute, perDay } = subject.limits;
    const isKey = 'keyId' in subject;
    const ban = isKey ? latestBan(subject.ban, known) : NEVER_BANNED;
    const key = isKey ? `${this.keyPrefix}key:${subject.keyId}` : `${this.keyPrefix}address:${subject.address}`;
    const knownWindows = [known.minute, known.minuteUsed, known.day, known.dayUsed];
    // Addresses are never banned.
    const rules = [isKey ? this.bans.after : 0, this.bans.grace, ...this.bans.ladder];
    const values = [now, action, perMinute, perDay, ban.until, ban.step, ban.unbans, ...knownWindows, ...rules];
    return inChildSpan('EVALSHA decideRequest', REQUEST_SPAN, () => redis.decideRequest(key, ...values));
  }
}

/** Follows the conventions for databases, without keys and values, which are the clients'. */
function spanOptions(script: string): SpanOptions {
  const attributes = { 'db.system.name': 'redis', 'db.operation.name': 'EVALSHA', 'db.stored_procedure.name': script };
  return { kind: SpanKind.CLIENT, attributes };
}

function readReply(reply: DecisionReply) {
  const [outcome, at, minute, minuteUsed, day, dayUsed, refusalMinute, firstRefusalAt, refusals, bannedUntil, banStep, unbans] = reply;
  const counts: Counts = { minute, minuteUsed, day, dayUsed, refusalMinute, firstRefusalAt, refusals, bannedUntil, banStep, unbans };
  return { outcome: OUTCOMES[outcome], at, counts };
}
