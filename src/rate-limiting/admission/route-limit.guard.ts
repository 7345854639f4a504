import { Injectable, type ExecutionContext } from '@nestjs/common';
import {
  Throttle,
  ThrottlerGuard,
  type ThrottlerLimitDetail,
  type ThrottlerModuleOptions,
  type ThrottlerOptions,
  type ThrottlerRequest,
  type ThrottlerStorage,
} from '@nestjs/throttler';
import type { FastifyRequest } from 'fastify';
import { Clock } from '#libs/clock';
import { LimiterStore } from '../store/limiter.store.js';
import { clientAddressOf } from './client-address.js';
import { RateLimitedError } from './rate-limit.errors.js';

const CREATE_BURST = 'create-burst';
const LIMIT_METADATA = 'THROTTLER:LIMIT';

type ThrottlerStorageRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** Limits how often one API key may call this handler within a second, where the configuration says so. */
export function LimitsCreateBurst(): MethodDecorator {
  return Throttle({ [CREATE_BURST]: {} });
}

/** What `@LimitsCreateBurst` allows; 0: everything. `@Throttle` under another name needs nothing here. */
export function throttlerOptions(createBurstPerSecond: number): ThrottlerModuleOptions {
  return {
    throttlers: [{ name: CREATE_BURST, limit: createBurstPerSecond === 0 ? Infinity : createBurstPerSecond, ttl: 1_000 }],
    // The headers of an answer tell of the plan; a second set under the same names would contradict them.
    setHeaders: false,
  };
}

/**
 * Puts `@Throttle` in force on the handlers and controllers that carry it, under any name, by API key or, where there is none,
 * by client address. Its 429 is ours; the rate-limit headers go on telling of the plan.
 */
@Injectable()
export class RouteLimitGuard extends ThrottlerGuard {
  private readonly limited = new WeakMap<object, boolean>();

  /** Lets all other handlers through before anything is looked up for them. */
  override async canActivate(context: ExecutionContext): Promise<boolean> {
    return !this.isLimited(context) || super.canActivate(context);
  }

  /** A name that is not set up with limits of its own has none where a handler gives it none. */
  protected override async handleRequest(request: ThrottlerRequest): Promise<boolean> {
    return request.limit === Infinity || super.handleRequest(request);
  }

  protected override async getTracker(request: FastifyRequest): Promise<string> {
    return request.caller?.actor ?? clientAddressOf(request);
  }

  protected override generateKey(context: ExecutionContext, tracker: string, name: string): string {
    return `${context.getClass().name}.${context.getHandler().name} ${name} ${tracker}`;
  }

  protected override throwThrottlingException(_context: ExecutionContext, detail: ThrottlerLimitDetail): Promise<void> {
    throw new RateLimitedError({ limit: detail.limit, retryAfter: detail.timeToBlockExpire });
  }

  private isLimited(context: ExecutionContext): boolean {
    const handler = context.getHandler();
    const known = this.limited.get(handler);
    if (known !== undefined) return known;
    const limits = [handler, context.getClass()].flatMap(limitsOf);
    // Each name is set up, whether or not the handler gives a limit of its own.
    const inForce = limits.map(({ name, limit }) => ({ ofName: this.setUp(name).limit, limit }));
    const limited = inForce.some(({ ofName, limit }) => (limit ?? ofName) !== Infinity);
    this.limited.set(handler, limited);
    return limited;
  }

  private setUp(name: string): ThrottlerOptions {
    const known = this.throttlers.find((throttler) => throttler.name === name);
    if (known) return known;
    const unlimited = { name, limit: Infinity, ttl: 1_000 };
    this.throttlers.push(unlimited);
    return unlimited;
  }
}

/** The names under which `@Throttle` limits a handler or a controller, with the limits that it gives there. */
function limitsOf(target: object): { readonly name: string; readonly limit: unknown }[] {
  const keys = Reflect.getMetadataKeys(target) as readonly unknown[];
  return keys
    .filter((key) => typeof key === 'string')
    .filter((key) => key.startsWith(LIMIT_METADATA))
    .map((key) => ({ name: key.slice(LIMIT_METADATA.length), limit: Reflect.getMetadata(key, target) as unknown }));
}

/** Our store behind the contract of `@nestjs/throttler`: no timer for each hit, bounded memory, windows aligned to 1970. */
@Injectable()
export class LimiterThrottlerStorage implements ThrottlerStorage {
  constructor(
    private readonly store: LimiterStore,
    private readonly clock: Clock,
  ) {}

  /** @param ttl and `blockDuration` in milliseconds. The times of the result are whole seconds, rounded up. */
  async increment(key: string, ttl: number, limit: number, blockDuration: number): Promise<ThrottlerStorageRecord> {
    const now = this.clock.now().getTime();
    // The guard puts the length of the window where a handler names no block of its own.
    const blockedFor = blockDuration === ttl ? {} : { blockedFor: blockDuration };
    const { at, admitted, hits, endsAt } = await this.store.hit(key, { limit, length: ttl, ...blockedFor }, now);
    const secondsLeft = Math.ceil((endsAt - at) / 1_000);
    return {
      totalHits: admitted ? hits : hits + 1,
      timeToExpire: secondsLeft,
      isBlocked: !admitted,
      timeToBlockExpire: admitted ? 0 : secondsLeft,
    };
  }
}
