import { Inject, Injectable } from '@nestjs/common';
import type { Caller } from '../../auth/index.js';
import { Clock } from '#libs/clock';
import type { ApplicationError } from '#libs/errors';
import type { BanRules } from '../domain/bans.js';
import type { Allowance, Decision } from '../domain/decision.js';
import type { Limits } from '../domain/windows.js';
import { RateLimitMetrics } from '../rate-limiting.metrics.js';
import { LimiterStore, type AddressSubject, type Subject } from '../store/limiter.store.js';
import { announce, rateLimitHeaders, type Announcement, type RateLimitHeaders } from './announcement.js';
import { BanRecorder } from './ban-recorder.js';
import { KeyBannedError, RateLimitedError } from './rate-limit.errors.js';

/** What is limited beside the plans of API keys. */
export interface RateLimits {
  /** For all callers without a valid key at one client address together. */
  readonly anonymous: Limits;
  /** For all requests from one client address for what is open to everybody. */
  readonly open: Limits;
  readonly bans: BanRules;
  /** Animals that one key may add in a second; 0: as many as its plan allows. */
  readonly createBurstPerSecond: number;
}

export const RATE_LIMITS = Symbol('what is limited beside the plans of API keys');

/** What comes of counting a request. */
export interface Verdict {
  /** For the answer, whatever it will be. */
  readonly headers: RateLimitHeaders;
  /** The 429 to answer with, unless the request is let through. */
  readonly refusal?: ApplicationError;
}

/** Counts requests by API key or by client address. Answers at once where the store does. */
@Injectable()
export class RateLimiter {
  constructor(
    private readonly store: LimiterStore,
    private readonly bans: BanRecorder,
    private readonly clock: Clock,
    private readonly metrics: RateLimitMetrics,
    @Inject(RATE_LIMITS) private readonly limits: RateLimits,
  ) {}

  /** Counts a request with a valid key. */
  countKey(caller: Caller): Verdict | Promise<Verdict> {
    const decision = this.store.decide(caller, this.now());
    if (decision instanceof Promise) return decision.then((decided) => this.judgeKey(caller, decided));
    return this.judgeKey(caller, decision);
  }

  /** Counts a request without a valid key. */
  countAddress(address: string): Verdict | Promise<Verdict> {
    return this.countAt(this.anonymous(address));
  }

  /** Counts a request for what is open to everybody, with a key or without. */
  countOpen(address: string): Verdict | Promise<Verdict> {
    return this.countAt({ address: `open:${address}`, limits: this.limits.open });
  }

  /** What a key's client is told where its request is not counted. */
  describeKey(caller: Caller): RateLimitHeaders | Promise<RateLimitHeaders> {
    return this.describe(caller);
  }

  /** What a client at an address is told where its request is not counted. */
  describeAddress(address: string): RateLimitHeaders | Promise<RateLimitHeaders> {
    return this.describe(this.anonymous(address));
  }

  private countAt(subject: AddressSubject): Verdict | Promise<Verdict> {
    const decision = this.store.decide(subject, this.now());
    return decision instanceof Promise ? decision.then((decided) => this.judgeAddress(decided)) : this.judgeAddress(decision);
  }

  private describe(subject: Subject): RateLimitHeaders | Promise<RateLimitHeaders> {
    const allowance = this.store.inspect(subject, this.now());
    return allowance instanceof Promise ? allowance.then(headersOf) : headersOf(allowance);
  }

  private judgeKey({ keyId }: Caller, decision: Decision): Verdict {
    this.metrics.decided('key', decision.outcome);
    if (decision.newBan) {
      this.metrics.banned();
      this.bans.record(keyId, decision.newBan);
    }
    return judge(decision);
  }

  private judgeAddress(decision: Decision): Verdict {
    this.metrics.decided('address', decision.outcome);
    return judge(decision);
  }

  private anonymous(address: string): AddressSubject {
    return { address, limits: this.limits.anonymous };
  }

  private now(): number {
    return this.clock.now().getTime();
  }
}

function judge(decision: Decision): Verdict {
  const announcement = announce(decision);
  const headers = rateLimitHeaders(announcement);
  return decision.outcome === 'admitted' ? { headers } : { headers, refusal: refusalOf(decision, announcement) };
}

function refusalOf({ outcome }: Decision, announcement: Announcement): ApplicationError {
  return outcome === 'banned' ? new KeyBannedError(announcement) : new RateLimitedError(announcement);
}

function headersOf(allowance: Allowance): RateLimitHeaders {
  return rateLimitHeaders(announce(allowance));
}
