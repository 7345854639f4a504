import { Injectable } from '@nestjs/common';
import type { ThrottlerStorage } from '@nestjs/throttler';
import { Clock } from '#libs/clock';
import { LimiterStore } from '../store/limiter.store.js';

type ThrottlerStorageRecord = Awaited<ReturnType<ThrottlerStorage['increment']>>;

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
