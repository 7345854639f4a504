import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller, WindowLimit } from '../../auth/index.js';
import type { AdmissionHook } from '#libs/http';
import { Clock, ApplicationError } from '#libs/observability';
import type { BanRules, Decision } from '../domain/decision.js';
import { LimiterStore, type Subject } from '../store/limiter.store.js';
import { DailyUsageRecorder } from '../usage/daily-usage.js';
import { BanRecorder } from './ban-recorder.js';
import { readClientAddress, connectionAddress } from './client-address.js';
import { limitHeaders, toRefusal } from './limit-headers.js';

const ONCE_A_SECOND: readonly WindowLimit[] = [{ name: 'second', seconds: 1, limit: 1 }];

/** All limits except those of the plans. */
export interface RateLimits {
  /** For callers without a valid key, by client address. */
  readonly anonymous: readonly WindowLimit[];
  /** For requests to public routes, by client address. */
  readonly open: readonly WindowLimit[];
  /** Undefined: no key is ever banned. */
  readonly bans: BanRules | undefined;
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
    return (request, reply) => after(attempt(authenticate, request, reply), (error) => this.countAuthenticated(request, reply, error));
  }

  /** Counts a request that could not be read, for the address of its connection. */
  readonly countUnreadable = (remoteAddress: string | undefined): Verdict | Promise<Verdict> =>
    this.count(this.anonymous(connectionAddress(remoteAddress)));

  /** Counts a request to a public route, for its client address and apart from all other requests. */
  readonly countOpen: AdmissionHook = (request, reply) => {
    const subject = { address: `open:${readClientAddress(request)}`, windows: this.limits.open };
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
      const verdict = this.count(this.key(caller));
      return request.routeOptions.config.answersBanned ? after(verdict, (counted) => this.answerBanned(caller, counted)) : verdict;
    }
    return this.inspect(caller ? this.key(caller) : this.anonymous(readClientAddress(request)));
  }

  private answerBanned({ keyId }: Caller, verdict: Verdict): Verdict | Promise<Verdict> {
    if (!verdict.refusal || !hasCode(verdict.refusal, 'key_banned')) return verdict;
    const decision = this.store.decide({ address: `route:banned key asks ${keyId}`, windows: ONCE_A_SECOND }, this.now());
    return after(decision, ({ outcome }) => (outcome === 'admitted' ? { headers: verdict.headers } : verdict));
  }

  private inspect(subject: Subject): Verdict {
    return { headers: limitHeaders(this.store.inspect(subject, this.now())) };
  }

  private count(subject: Subject): Verdict | Promise<Verdict> {
    return after(this.store.decide(subject, this.now()), (decision) => {
      this.report(subject, decision);
      const headers = limitHeaders(decision);
      if (decision.outcome === 'admitted') return { headers };
      const { ban } = subject;
      return { headers, refusal: toRefusal(decision, ban?.until === decision.bannedUntil ? ban.reason : undefined) };
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
    return { address, windows: this.limits.anonymous };
  }

  private key({ keyId, windows, ban }: Caller): Subject {
    return { keyId, windows, ban, rules: this.limits.bans };
  }

  private now(): number {
    return this.clock.now().getTime();
  }
}

/** Returns what a hook throws, at once or later; undefined if it passes. */
function attempt(hook: AdmissionHook, request: FastifyRequest, reply: FastifyReply): unknown {
  try {
    return hook(request, reply)?.then(
      () => undefined,
      (error: unknown) => error,
    );
  } catch (error) {
    return error;
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

function hasCode(error: unknown, code: string): boolean {
  return error instanceof ApplicationError && error.code === code;
}
