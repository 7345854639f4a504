import type { Redis } from 'ioredis';
import { SpanKind, type SpanOptions } from '@opentelemetry/api';
import { inChildSpan } from '#libs/tracing';
import { lastBan, type BanRules, type RecordedBan, type Conduct } from '../../domain/bans.js';
import { describeKey, type Allowance, type Decision, type KeyCounts } from '../../domain/decision.js';
import type { RouteDecision, RouteHits, RouteLimit } from '../../domain/route-hits.js';
import { newWindowCounts, type WindowCounts } from '../../domain/windows.js';
import type { Subject } from '../limiter.store.js';
import { ACTIONS, OUTCOMES, type DecisionAnswer } from './decision.script.js';

export interface RedisCountersOptions {
  /** What the names of all keys begin with. */
  readonly keyPrefix: string;
  readonly bans: BanRules;
}

/** What Redis decided, and the counts after it. */
export interface SharedDecision {
  readonly decision: Decision;
  readonly counts: KeyCounts;
}

export interface SharedRouteDecision {
  readonly decision: RouteDecision;
  readonly hits: RouteHits;
}

/** What an instance knows of a caller; of an address without conduct. */
export interface KnownCounts extends WindowCounts {
  readonly conduct?: Conduct;
}

/** A caller, what was last heard of its counts, and the time, which all instances have in common to a few milliseconds. */
export interface Request {
  readonly subject: Subject;
  readonly known: KnownCounts | undefined;
  readonly now: number;
}

const NEVER_BANNED: RecordedBan = { until: 0, step: 0, unbans: 0 };
const NOTHING_KNOWN: KnownCounts = newWindowCounts();
const TO_END_OF_WINDOW = -1;

const REQUEST_SPAN = spanOptions('decideRequest');
const HIT_SPAN = spanOptions('decideHit');

/** Counts in Redis: one command, and so one round trip, for each decision. */
export class RedisCounters {
  constructor(private readonly options: RedisCountersOptions) {}

  /**
   * Decides on one request and counts it. Counts of the same windows that are known to be higher are taken over.
   * @returns undefined, with nothing counted, where Redis has no counts of the caller and none may begin
   */
  async decide(redis: Redis, request: Request, mayBegin: boolean): Promise<SharedDecision | undefined> {
    const answer = await this.run(redis, request, mayBegin ? ACTIONS.countAndBegin : ACTIONS.count);
    if (answer.length === 0) return undefined;
    const { outcome, at, counts } = readAnswer(answer);
    const allowance = describeKey(counts, request.subject.limits, at);
    if (outcome !== 'newly banned') return { counts, decision: { outcome, ...allowance } };
    const { bannedUntil: until, banStep: step, unbans } = counts.conduct;
    return { counts, decision: { outcome: 'banned', ...allowance, newBan: { until, step, unbans } } };
  }

  /** What the client would be told now. */
  async inspect(redis: Redis, request: Request): Promise<Allowance> {
    const answer = await this.run(redis, request, ACTIONS.tell);
    if (answer.length === 0) throw new Error('Redis told nothing of a caller.');
    const { at, counts } = readAnswer(answer);
    return describeKey(counts, request.subject.limits, at);
  }

  async hit(
    redis: Redis,
    name: string,
    { limit, length, blockedFor = TO_END_OF_WINDOW }: RouteLimit,
    now: number,
  ): Promise<SharedRouteDecision> {
    const key = `${this.options.keyPrefix}route:${name}`;
    const answer = await inChildSpan('EVALSHA decideHit', HIT_SPAN, () => redis.decideHit(key, now, limit, length, blockedFor));
    const [at, isAdmitted, windowEndsAt, hits, blockedUntil] = answer;
    const admitted = isAdmitted === 1;
    return {
      decision: { at, admitted, hits, endsAt: admitted ? windowEndsAt : blockedUntil },
      hits: { windowEndsAt, hits, blockedUntil },
    };
  }

  private async run(redis: Redis, { subject, known = NOTHING_KNOWN, now }: Request, action: number) {
    const { keyPrefix, bans } = this.options;
    const isKey = 'keyId' in subject;
    const ban = isKey ? lastBan(subject.ban, known.conduct) : NEVER_BANNED;
    const key = isKey ? `${keyPrefix}key:${subject.keyId}` : `${keyPrefix}address:${subject.address}`;
    const values = [
      now,
      action,
      subject.limits.perMinute,
      subject.limits.perDay,
      ban.until,
      ban.step,
      ban.unbans,
      known.minute,
      known.minuteUsed,
      known.day,
      known.dayUsed,
      // Addresses are never banned.
      isKey ? bans.after : 0,
      bans.grace,
      ...bans.ladder,
    ];
    return inChildSpan('EVALSHA decideRequest', REQUEST_SPAN, () => redis.decideRequest(key, ...values));
  }
}

/** Follows the conventions for databases, without keys and values, which are the clients'. */
function spanOptions(script: string): SpanOptions {
  const attributes = { 'db.system.name': 'redis', 'db.operation.name': 'EVALSHA', 'db.stored_procedure.name': script };
  return { kind: SpanKind.CLIENT, attributes };
}

function readAnswer(answer: DecisionAnswer) {
  const [outcome, at, minute, minuteUsed, day, dayUsed, refusalMinute, firstRefusalAt, refusals, bannedUntil, banStep, unbans] = answer;
  const conduct = { refusalMinute, firstRefusalAt, refusals, bannedUntil, banStep, unbans };
  const counts: KeyCounts = { minute, minuteUsed, day, dayUsed, conduct };
  return { outcome: OUTCOMES[outcome], at, counts };
}
