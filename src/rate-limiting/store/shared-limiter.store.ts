import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import type { Redis } from 'ioredis';
import { SpanKind, type SpanOptions } from '@opentelemetry/api';
import { inChildSpan, systemTimers, type Timers } from '#libs/observability';
import {
  laterBan,
  limitStatus,
  newCounts,
  nextBan,
  type Counts,
  type Decision,
  type LimitStatus,
  type WindowLength,
} from '../domain/decision.js';
import { InProcessLimiterStore } from './in-process-limiter.store.js';
import { LimiterStore, type Counting, type Subject } from './limiter.store.js';
import { NEWLY_BANNED, OUTCOMES, type DecisionReply } from './redis/decision.script.js';
import { RedisLink, type createRedis, type RedisServer } from './redis/redis-link.js';

const LOAD_TIMEOUT_MILLISECONDS = 150;

/**
 * Counts of all instances in Redis. This process remembers what Redis said, continues from there by itself while Redis does not answer, and
 * sends its counts with the next request that Redis decides. A request whose reply is late may have been counted by both, but is let through
 * once at most: the higher count stays.
 */
export class SharedLimiterStore extends LimiterStore implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly link: RedisLink;
  private readonly loading = new Map<bigint, Promise<void>>();

  /**
   * @param alone the counts of this process, used while Redis does not answer
   * @param load loads the counts of a key from the database
   */
  constructor(
    private readonly redis: RedisServer,
    private readonly alone: InProcessLimiterStore,
    private readonly load: (keyId: bigint) => Promise<Counts | undefined>,
    private readonly timers: Timers = systemTimers,
    create?: typeof createRedis,
  ) {
    super();
    this.link = new RedisLink(redis, timers, create);
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
    const decision = this.count(subject, now, !('keyId' in subject));
    return decision instanceof Promise ? decision.then((decided) => decided ?? this.begin(subject, now)) : decision;
  }

  inspect(subject: Subject, now: number): LimitStatus {
    return this.alone.inspect(subject, now);
  }

  /** @returns a promise of undefined if Redis has no counts of the caller and may not begin any */
  private count(subject: Subject, now: number, mayBegin: boolean): Decision | Promise<Decision | undefined> {
    const name = 'keyId' in subject ? `key:${subject.keyId}` : `address:${subject.address}`;
    return this.link.ask(
      (redis) => countInRedis(redis, `${this.redis.keyPrefix}${name}`, { subject, known: this.alone.peek(subject), now }, mayBegin),
      (counted) => {
        if (counted) this.alone.remember(subject, counted.counts, counted.decision);
        return counted?.decision;
      },
      () => this.alone.decide(subject, now),
    );
  }

  /** Counts a request of a key that Redis has no counts of: it is the first of a day, or Redis has lost them. The table has them then. */
  private async begin(subject: Subject, now: number): Promise<Decision> {
    if ('keyId' in subject) await this.seed(subject.keyId);
    return (await this.count(subject, now, true)) ?? this.alone.decide(subject, now);
  }

  /** Loads the counts of a key, once for all requests that wait for them. Takes 150 ms at most. */
  private async seed(keyId: bigint): Promise<void> {
    const loading = this.loading.get(keyId) ?? this.load(keyId).then((counts) => counts && this.alone.merge([[keyId, counts]]));
    this.loading.set(keyId, loading);
    await this.timers.within(loading, LOAD_TIMEOUT_MILLISECONDS);
    this.loading.delete(keyId);
  }
}

/** A caller, the counts that this process knows of it, and the time of the clock that all instances share. */
export interface CounterRequest {
  readonly subject: Subject;
  readonly known: Counts | undefined;
  readonly now: number;
}

const UNLIMITED = Number.MAX_SAFE_INTEGER;

/** Follows the conventions for databases, without keys and values, which are the clients'. */
const REQUEST_SPAN: SpanOptions = {
  kind: SpanKind.CLIENT,
  attributes: { 'db.system.name': 'redis', 'db.operation.name': 'EVALSHA', 'db.stored_procedure.name': 'decideRequest' },
};

/**
 * Decides on a request and counts it in Redis, on top of known counts if they are higher: one command, and so one round trip.
 * @returns the decision and the counts after it; undefined, with nothing counted, if Redis has no counts of the caller and may not begin any
 */
export async function countInRedis(
  redis: Redis,
  key: string,
  { subject, known = newCounts(subject.windows), now }: CounterRequest,
  mayBegin: boolean,
): Promise<{ readonly decision: Decision; readonly counts: Counts } | undefined> {
  const { windows, rules } = subject;
  const ban = laterBan(known.ban, subject.ban);
  const next = rules ? nextBan(ban, rules, now) : ban;
  const bans = [ban.until, ban.step, ban.unbans, next.until, next.step, rules?.after ?? UNLIMITED, rules?.grace ?? 0];
  const perWindow = windows.flatMap(({ name, seconds, limit }, index) => {
    const { number, used } = known.windows[index] ?? { number: 0, used: 0 };
    return [name, seconds * 1_000, limit, number, used];
  });
  const reply = await inChildSpan('EVALSHA decideRequest', REQUEST_SPAN, () =>
    redis.decideRequest(key, now, Number(mayBegin), ...bans, ...perWindow),
  );
  if (reply.length === 0) return undefined;
  const { outcome, counts } = readReply(reply, windows);
  const status = limitStatus(counts, subject, now);
  if (outcome === NEWLY_BANNED) return { counts, decision: { outcome: 'banned', ...status, newBan: counts.ban } };
  return { counts, decision: { outcome: OUTCOMES[outcome] ?? 'refused', ...status } };
}

function readReply(reply: DecisionReply, lengths: readonly WindowLength[]): { readonly outcome: number; readonly counts: Counts } {
  const [outcome = 0, refusalWindow = 0, firstRefusalAt = 0, refusals = 0, until = 0, step = 0, unbans = 0, ...counted] = reply;
  const windows = lengths.map(({ seconds }, index) => ({ seconds, number: counted[2 * index] ?? 0, used: counted[2 * index + 1] ?? 0 }));
  return { outcome, counts: { windows, refusalWindow, firstRefusalAt, refusals, ban: { until, step, unbans } } };
}
