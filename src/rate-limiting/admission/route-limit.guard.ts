import { Inject, Injectable, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { Throttle, ThrottlerGuard, type ThrottlerOptions, type ThrottlerRequest, type ThrottlerStorage } from '@nestjs/throttler';
import type { FastifyRequest } from 'fastify';
import { SkippedIfCached } from '#libs/http';
import { Clock } from '#libs/observability';
import { LimiterStore } from '../store/limiter.store.js';
import { readClientAddress } from './client-address.js';
import { createRateLimitedError } from './limit-headers.js';
import { RATE_LIMITS, type RateLimits } from './rate-limit.hook.js';

const DEFAULT = 'default';
const CREATE_BURST = 'create-burst';
const LIMIT_METADATA = 'THROTTLER:LIMIT';

/** The guard counts in the limiter's store: without a timer for each request, with bounded memory and windows aligned to 1970. */
const NO_STORAGE: ThrottlerStorage = { increment: () => Promise.reject(new Error('The limiter counts requests itself.')) };

/** Limits how often one API key may call this handler in a second, if the configuration says so. */
export function LimitsCreateBurst(): MethodDecorator {
  return Throttle({ [CREATE_BURST]: {} });
}

/**
 * Applies `@Throttle` on handlers and controllers, under the name `default`, by API key or else by client address. Answers with our own 429;
 * the limit headers still describe the plan.
 */
@SkippedIfCached({ unless: (target) => hasLimit(target, DEFAULT) || hasLimit(target, CREATE_BURST) })
@Injectable()
export class RouteLimitGuard extends ThrottlerGuard {
  // Both are named, as Nest otherwise takes the second from the constructor of the base class.
  constructor(
    @Inject(RATE_LIMITS) { createBurstPerSecond }: Pick<RateLimits, 'createBurstPerSecond'>,
    @Inject(Reflector) reflector: Reflector,
    private readonly store: LimiterStore,
    private readonly clock: Clock,
  ) {
    // Only handlers that name it have it, with a limit of their own.
    const throttlers = [{ name: DEFAULT, limit: Infinity, ttl: 1_000 }];
    if (createBurstPerSecond > 0) throttlers.push({ name: CREATE_BURST, limit: createBurstPerSecond, ttl: 1_000 });
    super(throttlers, NO_STORAGE, reflector);
  }

  /** Handlers without a limit, or with one that the configuration has turned off, pass at once. */
  override async canActivate(context: ExecutionContext): Promise<boolean> {
    return !this.throttlers.some((throttler) => isLimitedBy(throttler, context)) || super.canActivate(context);
  }

  protected override async handleRequest({ context, limit, ttl, blockDuration, throttler }: ThrottlerRequest): Promise<boolean> {
    // The base class applies all names to a handler that has one of them.
    if (!isLimitedBy(throttler, context)) return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const caller = request.caller?.actor ?? readClientAddress(request);
    const address = `route:${context.getClass().name}.${context.getHandler().name} ${throttler.name ?? DEFAULT} ${caller}`;
    const windows = [{ name: 'route', seconds: ttl / 1_000, limit }];
    // The base class passes the length of the window if a handler names no block duration.
    const rules = blockDuration === ttl ? undefined : { after: 0, grace: 0, ladder: [blockDuration] };
    const decision = await this.store.decide({ address, windows, rules }, this.clock.now().getTime());
    if (decision.outcome !== 'admitted') throw createRateLimitedError(`${limit} of these requests in ${ttl / 1_000} s`, decision);
    return true;
  }
}

/** Whether the handler that is called, or its controller, has a limit of this name. */
function isLimitedBy({ name = DEFAULT }: ThrottlerOptions, context: ExecutionContext): boolean {
  return hasLimit(context.getHandler(), name) || hasLimit(context.getClass(), name);
}

/** Whether a handler or a controller has `@Throttle` with this name. */
function hasLimit(target: object, name: string): boolean {
  return Reflect.hasMetadata(LIMIT_METADATA + name, target);
}
