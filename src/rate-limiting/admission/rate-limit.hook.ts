import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Limits, RecordedBan } from '../../auth/index.js';
import type { AdmissionHook } from '#libs/http';
import { Clock, ApplicationError } from '#libs/observability';
import { countRemaining, tighterWindow, type BanRules, type Decision, type LimitStatus, type WindowState } from '../domain/decision.js';
import { LimiterStore, type KeySubject, type Subject } from '../store/limiter.store.js';
import { DailyUsageRecorder } from '../usage/daily-usage-recorder.js';
import { BanRecorder } from './ban-recorder.js';
import { readClientAddress, connectionAddress } from './client-address.js';

const ONCE_A_SECOND = { limit: 1, length: 1_000 };

/** All limits except those of the plans. */
export interface RateLimits {
  /** For callers without a valid key, by client address. */
  readonly anonymous: Limits;
  /** For requests to public routes, by client address. */
  readonly open: Limits;
  readonly bans: BanRules;
  /** Animals that a key may add in a second; 0: as many as its plan allows. */
  readonly createBurstPerSecond: number;
}

export const RATE_LIMITS = Symbol('RATE_LIMITS');

/** The result of counting a request. */
interface Verdict {
  /** For the response, whatever its status. */
  readonly headers: Readonly<Record<string, string>>;
  /** The 429 to answer with, unless the request is admitted. */
  readonly refusal?: ApplicationError;
}

/** The part of admission that counts each request once and sets the limit headers of every response. */
@Injectable()
export class RateLimitHook {
  /** Decisions and new bans since the start, as plain numbers, since every request is counted. */
  readonly totals = {
    key: { admitted: 0, refused: 0, banned: 0 },
    address: { admitted: 0, refused: 0, banned: 0 },
    bans: 0,
  };

  constructor(
    private readonly store: LimiterStore,
    private readonly bans: BanRecorder,
    private readonly usage: DailyUsageRecorder,
    private readonly clock: Clock,
    @Inject(RATE_LIMITS) private readonly limits: RateLimits,
  ) {}

  /**
   * Returns a hook that authenticates, then counts: a request with a valid key counts for the key, also if the key lacks a scope; one
   * without counts for the client address. Over a limit the response is 429, whatever authentication found. If the database cannot tell
   * whose key it is, nothing is counted and the headers describe the key as far as it is known.
   */
  around(authenticate: AdmissionHook): AdmissionHook {
    return (request, reply) => {
      let pending: Promise<void> | void;
      try {
        pending = authenticate(request, reply);
      } catch (error) {
        return this.countAuthenticated(request, reply, error);
      }
      if (!pending) return this.countAuthenticated(request, reply);
      return pending.then(
        () => this.countAuthenticated(request, reply),
        (error: unknown) => this.countAuthenticated(request, reply, error),
      );
    };
  }

  /** Counts a request that could not be read, for the address of its connection. */
  readonly countUnreadable = (remoteAddress: string | undefined): Verdict | Promise<Verdict> =>
    this.count(this.anonymous(connectionAddress(remoteAddress)));

  /** Counts a request to a public route, for its client address and apart from all other requests. */
  readonly countOpen: AdmissionHook = (request, reply) => {
    const subject = { address: `open:${readClientAddress(request)}`, limits: this.limits.open };
    return after(this.count(subject), (verdict) => answer(reply, verdict));
  };

  private countAuthenticated(request: FastifyRequest, reply: FastifyReply, error?: unknown): Promise<void> | void {
    return after(this.judge(request, error), (verdict) => {
      answer(reply, verdict);
      if (error !== undefined) throw error as Error;
    });
  }

  private judge(request: FastifyRequest, error: unknown): Verdict | Promise<Verdict> {
    const { caller } = request;
    if (hasCode(error, 'unauthorized')) return this.count(this.anonymous(readClientAddress(request)));
    if (caller && (error === undefined || hasCode(error, 'insufficient_scope'))) {
      const verdict = this.count(caller);
      return request.routeOptions.config.answersBanned ? after(verdict, (counted) => this.answerBanned(caller, counted)) : verdict;
    }
    return this.inspect(caller ?? this.anonymous(readClientAddress(request)));
  }

  private answerBanned({ keyId }: KeySubject, verdict: Verdict): Verdict | Promise<Verdict> {
    if (!verdict.refusal || !hasCode(verdict.refusal, 'key_banned')) return verdict;
    const hit = this.store.hit(`banned key asks ${keyId}`, ONCE_A_SECOND, this.now());
    return after(hit, ({ admitted }) => (admitted ? { headers: verdict.headers } : verdict));
  }

  private inspect(subject: Subject): Verdict | Promise<Verdict> {
    return after(this.store.inspect(subject, this.now()), (status) => ({ headers: limitHeaders(status) }));
  }

  private count(subject: Subject): Verdict | Promise<Verdict> {
    return after(this.store.decide(subject, this.now()), (decision) => {
      this.report(subject, decision);
      const headers = limitHeaders(decision);
      return decision.outcome === 'admitted' ? { headers } : { headers, refusal: toError(decision, subject.ban) };
    });
  }

  private report(subject: Subject, decision: Decision): void {
    const { outcome, newBan } = decision;
    this.totals['keyId' in subject ? 'key' : 'address'][outcome] += 1;
    if (!('keyId' in subject)) return;
    this.usage.record(subject.keyId, decision);
    if (!newBan) return;
    this.totals.bans += 1;
    this.bans.record(subject.keyId, newBan);
  }

  private anonymous(address: string): Subject {
    return { address, limits: this.limits.anonymous };
  }

  private now(): number {
    return this.clock.now().getTime();
  }
}

/** Continues at once with a value, or later with that of a promise. */
function after<Value, Result>(value: Value | Promise<Value>, next: (value: Value) => Result | Promise<Result>): Result | Promise<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}

function answer(reply: FastifyReply, { headers, refusal }: Verdict): void {
  reply.headers(headers);
  if (refusal) throw refusal;
}

function toError(decision: Decision, recorded: RecordedBan | undefined): ApplicationError {
  if (decision.outcome === 'banned') {
    const reason = recorded?.until === decision.bannedUntil ? recorded.reason : undefined;
    return createKeyBannedError(retryAfter(decision), reason);
  }
  const window = tighterWindow(decision.windows);
  const period = window === decision.windows.day ? 'day' : 'minute';
  return createRateLimitedError(`${window.limit} requests a ${period}`, retryAfter(decision));
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof ApplicationError && error.code === code;
}

/**
 * Returns the headers of every response: `X-RateLimit-*` (interface section 8), which describe the ban or else the window that blocks first,
 * and `RateLimit-Policy` and `RateLimit` of the IETF draft "RateLimit header fields for HTTP" (draft-ietf-httpapi-ratelimit-headers, revision
 * 8 and later), which describe both windows and the ban. Times are rounded up to seconds.
 */
export function limitHeaders(status: LimitStatus): Readonly<Record<string, string>> {
  const { at, windows, bannedUntil } = status;
  const { minute, day } = windows;
  const window = tighterWindow(windows);
  const isBanned = bannedUntil > 0;
  const ban = isBanned ? `"ban";r=0;t=${retryAfter(status)}, ` : '';
  const left = (each: WindowState) => `r=${countRemaining(each)};t=${secondsBetween(at, each.endsAt)}`;
  return {
    'x-ratelimit-limit': `${window.limit}`,
    'x-ratelimit-remaining': `${isBanned ? 0 : countRemaining(window)}`,
    'x-ratelimit-reset': `${Math.ceil((isBanned ? bannedUntil : window.endsAt) / 1_000)}`,
    'ratelimit-policy': `"minute";q=${minute.limit};w=60, "day";q=${day.limit};w=86400`,
    ratelimit: `${ban}"minute";${left(minute)}, "day";${left(day)}`,
  };
}

/** Returns the seconds after which the ban, or else the window that blocks first, is over. */
export function retryAfter({ at, windows, bannedUntil }: LimitStatus): number {
  return secondsBetween(at, bannedUntil > 0 ? bannedUntil : tighterWindow(windows).endsAt);
}

/**
 * Returns the 429 of a limit that is used up.
 * @param limit such as `60 requests a minute`
 */
export function createRateLimitedError(limit: string, seconds: number): ApplicationError {
  const message = `The limit of ${limit} is used up; try again in ${seconds} s, and back off exponentially.`;
  return new ApplicationError('rate_limited', message, { headers: { 'retry-after': `${seconds}` } });
}

/**
 * Returns the 429 of a banned key.
 * @param reason of an operator; undefined for a key that continued to send after 429 responses
 */
function createKeyBannedError(seconds: number, reason: string | undefined): ApplicationError {
  const why = reason === undefined ? ', because it continued to send after 429 responses.' : `. The operator says: ${reason}`;
  const message = `This API key is banned for ${seconds} s${why}`;
  return new ApplicationError('key_banned', message, { headers: { 'retry-after': `${seconds}` } });
}

function secondsBetween(from: number, to: number): number {
  return Math.ceil((to - from) / 1_000);
}
