import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import {
  FindUsedToday,
  GetKeyLimits,
  ListDailyUsage,
  ListKeyUsages,
  type ApiKeyView,
  type KeyLimits,
  type KeyUsage,
  type UsageOfDay,
  type WindowUsage,
} from '../../auth/index.js';
import { Clock } from '#libs/observability';
import { Database } from '#libs/database';
import {
  countRemaining,
  DAY_MILLISECONDS,
  enterWindows,
  newCounts,
  toDay,
  toWindows,
  type Counts,
  type WindowState,
} from '../domain/decision.js';
import { loadCounters, loadUsedToday } from '../store/counter-persistence.js';
import { LimiterStore } from '../store/limiter.store.js';
import type { DailyUsage } from '../usage/daily-usage.entity.js';
import { readDailyUsage } from '../usage/daily-usage-table.js';

@QueryHandler(GetKeyLimits)
export class GetKeyLimitsHandler implements IQueryHandler<GetKeyLimits> {
  constructor(
    private readonly store: LimiterStore,
    private readonly clock: Clock,
  ) {}

  async execute({ key }: GetKeyLimits): Promise<KeyLimits> {
    const { windows, bannedUntil } = await this.store.inspect(key, this.clock.now().getTime());
    return {
      minute: toUsage(windows.minute),
      day: toUsage(windows.day),
      bannedUntil: bannedUntil === 0 ? undefined : new Date(bannedUntil),
    };
  }
}

@QueryHandler(ListKeyUsages)
export class ListKeyUsagesHandler implements IQueryHandler<ListKeyUsages> {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async execute({ keys }: ListKeyUsages): Promise<readonly KeyUsage[]> {
    const ids = keys.map(({ id }) => id);
    const counts = await loadCounters(this.database.reader, ids);
    const now = this.clock.now().getTime();
    return keys.map((key) => toKeyUsage(key, counts.get(key.id) ?? newCounts(), now));
  }
}

@QueryHandler(FindUsedToday)
export class FindUsedTodayHandler implements IQueryHandler<FindUsedToday> {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  execute(): Promise<ReadonlyMap<bigint, number>> {
    return loadUsedToday(this.database.reader, toDay(this.clock.now().getTime()));
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

/** Returns the usage of a key at `now`, milliseconds since 1970. */
function toKeyUsage({ id, plan, limits, lastBan }: ApiKeyView, counts: Counts, now: number): KeyUsage {
  enterWindows(counts, now);
  const { minute, day } = toWindows(counts, limits);
  const ban = lastBan && lastBan.until.getTime() > now ? lastBan : null;
  return { id, plan, minute: toUsage(minute), day: toUsage(day), ban };
}

/** Returns a window as the response headers describe it. */
function toUsage(window: WindowState): WindowUsage {
  const { limit, used, endsAt } = window;
  return { limit, used, remaining: countRemaining(window), resetsAt: new Date(endsAt) };
}

function toUsageOfDay(start: number, { admitted = 0, refused = 0 }: Partial<DailyUsage> = {}): UsageOfDay {
  return { date: new Date(start).toISOString().slice(0, 10), requests: admitted, refusals: refused };
}
