import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AdmissionHook } from '#libs/api-kit';
import { ApplicationError } from '#libs/errors';
import type { RateLimitHeaders } from './announcement.js';
import { clientAddressOf, connectionAddress } from './client-address.js';
import { RateLimiter, type Verdict } from './rate-limiter.js';

/** The part of admission that counts each request once and gives every answer its rate-limit headers. */
@Injectable()
export class RateLimitHook {
  constructor(private readonly limiter: RateLimiter) {}

  /**
   * The hook that authenticates, with counting put between finding out who calls and refusing them: a request with a valid
   * key counts for the key, also when the key lacks a scope; one without counts for the client address. Over a limit the
   * answer is 429 whatever authentication had to say. When the database cannot tell whose key it is, nothing is counted,
   * and the headers tell of the key as far as it is known from before.
   */
  around(authenticate: AdmissionHook): AdmissionHook {
    return (request, reply) => {
      let pending: Promise<void> | void;
      try {
        pending = authenticate(request, reply);
      } catch (refusal) {
        return this.count(request, reply, refusal);
      }
      if (!pending) return this.count(request, reply);
      return pending.then(
        () => this.count(request, reply),
        (refusal: unknown) => this.count(request, reply, refusal),
      );
    };
  }

  /** Counts a request that could not be read, under the address of its connection. */
  readonly countUnreadable = (remoteAddress: string | undefined): Verdict | Promise<Verdict> =>
    this.limiter.countAddress(connectionAddress(remoteAddress));

  /** Counts a request for what is open to everybody, under its client address and apart from all others. */
  readonly countOpen: AdmissionHook = (request, reply) => settle(reply, this.limiter.countOpen(clientAddressOf(request)));

  /** Gives an answer that is not counted the headers of its client address. */
  readonly describe: AdmissionHook = (request, reply) => {
    const headers = this.limiter.describeAddress(clientAddressOf(request));
    return headers instanceof Promise ? headers.then((known) => void reply.headers(known)) : void reply.headers(headers);
  };

  private count(request: FastifyRequest, reply: FastifyReply, refusal?: unknown): Promise<void> | void {
    return settle(reply, this.verdictOn(request, refusal), refusal);
  }

  private verdictOn(request: FastifyRequest, refusal: unknown): Verdict | Promise<Verdict> {
    if (isUnauthorized(refusal)) return this.limiter.countAddress(clientAddressOf(request));
    const { caller } = request;
    if (caller && (refusal === undefined || isForbidden(refusal))) return this.limiter.countKey(caller);
    const headers = caller ? this.limiter.describeKey(caller) : this.limiter.describeAddress(clientAddressOf(request));
    return headers instanceof Promise ? headers.then(asVerdict) : asVerdict(headers);
  }
}

function settle(reply: FastifyReply, verdict: Verdict | Promise<Verdict>, earlier?: unknown): Promise<void> | void {
  if (verdict instanceof Promise) return verdict.then((reached) => conclude(reply, reached, earlier));
  conclude(reply, verdict, earlier);
}

function conclude(reply: FastifyReply, { headers, refusal }: Verdict, earlier: unknown): void {
  reply.headers(headers);
  if (refusal) throw refusal;
  if (earlier !== undefined) throw earlier as Error;
}

function isUnauthorized(refusal: unknown): boolean {
  return refusal instanceof ApplicationError && refusal.code === 'unauthorized';
}

function isForbidden(refusal: unknown): boolean {
  return refusal instanceof ApplicationError && refusal.code === 'insufficient_scope';
}

function asVerdict(headers: RateLimitHeaders): Verdict {
  return { headers };
}
