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

const CREATE_BURST = 'create-burst';
const LIMIT_METADATA = 'THROTTLER:LIMIT';

/** The guard counts in the limiter's store: without a timer for each request, with bounded memory and windows aligned to 1970. */
const NO_STORAGE: ThrottlerStorage = { increment: () => Promise.reject(new Error('The limiter counts requests itself.')) };

/** Limits how often one API key may call this handler in a second, if the configuration says so. */
export function LimitsCreateBurst(): MethodDecorator {
  return Throttle({ [CREATE_BURST]: {} });
}

/**
 * Applies `@Throttle` on handlers and controllers, under any name, by API key or else by client address. Answers with our own 429; the
 * limit headers still describe the plan.
 */
@SkippedIfCached({ unless: hasRouteLimit })
@Injectable()
export class RouteLimitGuard extends ThrottlerGuard {
  private readonly limited = new WeakMap<object, boolean>();

  // Both are named, as Nest otherwise takes the second from the constructor of the base class.
  constructor(
    @Inject(RATE_LIMITS) { createBurstPerSecond }: Pick<RateLimits, 'createBurstPerSecond'>,
    @Inject(Reflector) reflector: Reflector,
    private readonly store: LimiterStore,
    private readonly clock: Clock,
  ) {
    const createBurst = { name: CREATE_BURST, limit: createBurstPerSecond === 0 ? Infinity : createBurstPerSecond, ttl: 1_000 };
    super([createBurst], NO_STORAGE, reflector);
  }

  /** Handlers without a limit pass at once. */
  override async canActivate(context: ExecutionContext): Promise<boolean> {
    return !this.isLimited(context) || super.canActivate(context);
  }

  protected override async handleRequest({ context, limit, ttl, blockDuration, throttler }: ThrottlerRequest): Promise<boolean> {
    if (limit === Infinity) return true;
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const caller = request.caller?.actor ?? readClientAddress(request);
    const address = `route:${context.getClass().name}.${context.getHandler().name} ${throttler.name ?? ''} ${caller}`;
    const windows = [{ name: 'route', seconds: ttl / 1_000, limit }];
    // The base class passes the length of the window if a handler names no block duration.
    const rules = blockDuration === ttl ? undefined : { after: 0, grace: 0, ladder: [blockDuration] };
    const decision = await this.store.decide({ address, windows, rules }, this.clock.now().getTime());
    if (decision.outcome !== 'admitted') throw createRateLimitedError(`${limit} of these requests in ${ttl / 1_000} s`, decision);
    return true;
  }

  private isLimited(context: ExecutionContext): boolean {
    const handler = context.getHandler();
    const known = this.limited.get(handler);
    if (known !== undefined) return known;
    // Every name is set up, whether or not the handler gives it a limit.
    const limits = [handler, context.getClass()].flatMap(readLimits).map(({ name, limit }) => ({ default: this.setUp(name).limit, limit }));
    const limited = limits.some((found) => (found.limit ?? found.default) !== Infinity);
    this.limited.set(handler, limited);
    return limited;
  }

  /** A name has no limit unless the handler or the options give it one. */
  private setUp(name: string): ThrottlerOptions {
    const known = this.throttlers.find((throttler) => throttler.name === name);
    if (known) return known;
    const unlimited = { name, limit: Infinity, ttl: 1_000 };
    this.throttlers.push(unlimited);
    return unlimited;
  }
}

/** Whether a handler or a controller has `@Throttle`. */
function hasRouteLimit(target: object): boolean {
  return readLimits(target).length > 0;
}

/** Returns the names and limits of `@Throttle` on a handler or a controller. */
function readLimits(target: object): { readonly name: string; readonly limit: unknown }[] {
  const keys = Reflect.getMetadataKeys(target) as readonly unknown[];
  return keys
    .filter((key) => typeof key === 'string')
    .filter((key) => key.startsWith(LIMIT_METADATA))
    .map((key) => ({ name: key.slice(LIMIT_METADATA.length), limit: Reflect.getMetadata(key, target) as unknown }));
}
