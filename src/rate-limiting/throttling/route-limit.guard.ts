import { Injectable, type ExecutionContext } from '@nestjs/common';
import { ThrottlerGuard, type ThrottlerLimitDetail, type ThrottlerRequest } from '@nestjs/throttler';
import type { FastifyRequest } from 'fastify';
import { clientAddressOf } from '../admission/client-address.js';
import { RateLimitedError } from '../admission/rate-limit.errors.js';

const LIMIT_METADATA = 'THROTTLER:LIMIT';

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
    const names = [handler, context.getClass()].flatMap(throttlerNamesOf);
    for (const name of names) this.setUp(name);
    this.limited.set(handler, names.length > 0);
    return names.length > 0;
  }

  private setUp(name: string): void {
    if (this.throttlers.some((throttler) => throttler.name === name)) return;
    this.throttlers.push({ name, limit: Infinity, ttl: 1_000 });
  }
}

/** The names under which `@Throttle` limits a handler or a controller. */
function throttlerNamesOf(target: object): string[] {
  const keys = Reflect.getMetadataKeys(target) as readonly unknown[];
  return keys.flatMap((key) => (typeof key === 'string' && key.startsWith(LIMIT_METADATA) ? [key.slice(LIMIT_METADATA.length)] : []));
}
