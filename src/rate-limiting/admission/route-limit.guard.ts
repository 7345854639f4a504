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
import { RateLimitedError } from './limit-headers.js';

const CREATE_BURST = 'create-burst';
const LIMIT_METADATA = 'THROTTLER:LIMIT';

type ThrottlerStorageRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

/** Limits how often one API key may call this handler in a second, if the configuration says so. */
export function LimitsCreateBurst(): MethodDecorator {
  return Throttle({ [CREATE_BURST]: {} });
}

/** Options for `@LimitsCreateBurst`; 0: no limit. `@Throttle` under another name needs no options. */
export function throttlerOptions(createBurstPerSecond: number): ThrottlerModuleOptions {
  return {
    throttlers: [{ name: CREATE_BURST, limit: createBurstPerSecond === 0 ? Infinity : createBurstPerSecond, ttl: 1_000 }],
    // The headers describe the plan; a second set under the same names would contradict them.
    setHeaders: false,
  };
}

/** Applies `@Throttle` on handlers and controllers, under any name, by API key or else by client address. Answers with our own 429. */
@Injectable()
export class RouteLimitGuard extends ThrottlerGuard {
  private readonly limited = new WeakMap<object, boolean>();

  /** Handlers without a limit pass at once. */
  override async canActivate(context: ExecutionContext): Promise<boolean> {
    return !this.isLimited(context) || super.canActivate(context);
  }

  /** A name has no limit unless the handler or the options give it one. */
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
    throw new RateLimitedError(detail.limit, detail.timeToBlockExpire);
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

  private setUp(name: string): ThrottlerOptions {
    const known = this.throttlers.find((throttler) => throttler.name === name);
    if (known) return known;
    const unlimited = { name, limit: Infinity, ttl: 1_000 };
    this.throttlers.push(unlimited);
    return unlimited;
  }
}

/** Returns the names and limits of `@Throttle` on a handler or a controller. */
function readLimits(target: object): { readonly name: string; readonly limit: unknown }[] {
  const keys = Reflect.getMetadataKeys(target) as readonly unknown[];
  return keys
    .filter((key) => typeof key === 'string')
    .filter((key) => key.startsWith(LIMIT_METADATA))
    .map((key) => ({ name: key.slice(LIMIT_METADATA.length), limit: Reflect.getMetadata(key, target) as unknown }));
}

/** Our store as storage of `@nestjs/throttler`: without a timer for each request, with bounded memory and windows aligned to 1970. */
@Injectable()
export class LimiterThrottlerStorage implements ThrottlerStorage {
  constructor(
    private readonly store: LimiterStore,
    private readonly clock: Clock,
  ) {}

  /** @param ttl and `blockDuration` in milliseconds. The times of the result are whole seconds, rounded up. */
  async increment(key: string, ttl: number, limit: number, blockDuration: number): Promise<ThrottlerStorageRecord> {
    const now = this.clock.now().getTime();
    // The guard passes the length of the window if a handler names no block duration.
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
