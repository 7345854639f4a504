import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Clock } from '#libs/observability';
import { Database } from '#libs/database';
import { DAY_MILLISECONDS, toDay } from '../domain/decision.js';
import type { DailyUsage } from '../usage/daily-usage.entity.js';
import { readDailyUsage } from '../usage/daily-usage-table.js';

/** The requests of an API key on one UTC day. */
export interface UsageOfDay {
  /** Such as `2026-06-01`. */
  readonly date: string;
  /** Requests that the limiter let through. */
  readonly requests: number;
  /** Requests that were answered with 429. */
  readonly refusals: number;
}

/** The most days that usage is kept. */
export const MOST_DAYS = 400;

/** Returns the last days of API keys up to today, oldest first, those without requests too. A request is in it after 10 s at most. */
export class ListDailyUsage extends Query<ReadonlyMap<bigint, readonly UsageOfDay[]>> {
  constructor(
    readonly keyIds: readonly bigint[],
    readonly days: number,
  ) {
    super();
  }
}

@QueryHandler(ListDailyUsage)
export class ListDailyUsageHandler implements IQueryHandler<ListDailyUsage> {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async execute({ keyIds, days }: ListDailyUsage): Promise<ReadonlyMap<bigint, readonly UsageOfDay[]>> {
    const first = (toDay(this.clock.now().getTime()) - (days - 1)) * DAY_MILLISECONDS;
    const starts = Array.from({ length: days }, (_, index) => first + index * DAY_MILLISECONDS);
    const stored = await readDailyUsage(this.database.reader, keyIds, first);
    const byDay = new Map(stored.map((usage) => [`${usage.keyId} ${usage.dayStart}`, usage]));
    return new Map(keyIds.map((id) => [id, starts.map((start) => toUsageOfDay(start, byDay.get(`${id} ${start}`)))]));
  }
}

function toUsageOfDay(start: number, { admitted = 0, refused = 0 }: Partial<DailyUsage> = {}): UsageOfDay {
  return { date: new Date(start).toISOString().slice(0, 10), requests: admitted, refusals: refused };
}
