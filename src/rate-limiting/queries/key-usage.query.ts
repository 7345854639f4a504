import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import {
  FindUsedToday,
  GetKeyLimits,
  ListDailyUsage,
  ListKeyUsages,
  toWindowLimits,
  type ApiKeyView,
  type KeyLimits,
  type KeyUsage,
  type UsageOfDay,
  type WindowUsages,
} from '../../auth/index.js';
import { Clock } from '#libs/observability';
import { Database } from '#libs/database';
import { countRemaining, inspect, newCounts, type Counts, type WindowState } from '../domain/decision.js';
import { loadCounters, loadUsed } from '../store/counter-persistence.js';
import { LimiterStore } from '../store/limiter.store.js';
import type { DailyUsage } from '../usage/daily-usage.entity.js';
import { DAY_MILLISECONDS, readDailyUsage, toDay } from '../usage/daily-usage.js';

@QueryHandler(GetKeyLimits)
export class GetKeyLimitsHandler implements IQueryHandler<GetKeyLimits> {
  constructor(
    private readonly store: LimiterStore,
    private readonly clock: Clock,
  ) {}

  async execute({ key }: GetKeyLimits): Promise<KeyLimits> {
    const { windows, bannedUntil } = this.store.inspect(key, this.clock.now().getTime());
    return { windows: toUsages(windows), bannedUntil: bannedUntil === 0 ? undefined : new Date(bannedUntil) };
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
    return keys.map((key) => toKeyUsage(key, counts.get(key.id), now));
  }
}

@QueryHandler(FindUsedToday)
export class FindUsedTodayHandler implements IQueryHandler<FindUsedToday> {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  execute(): Promise<ReadonlyMap<bigint, number>> {
    return loadUsed(this.database.reader, this.clock.now().getTime());
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
function toKeyUsage({ id, plan, limits, lastBan }: ApiKeyView, counts: Counts | undefined, now: number): KeyUsage {
  const windows = toWindowLimits(limits);
  const ban = lastBan && lastBan.until.getTime() > now ? lastBan : null;
  return { id, plan, ...toUsages(inspect(counts ?? newCounts(windows), { windows }, now).windows), ban };
}

/** Returns the windows as the response headers describe them. */
function toUsages(windows: readonly WindowState[]): WindowUsages {
  const usages = windows.map((window) => {
    const { name, limit, used, endsAt } = window;
    return [name, { limit, used, remaining: countRemaining(window), resetsAt: new Date(endsAt) }];
  });
  return Object.fromEntries(usages) as WindowUsages;
}

function toUsageOfDay(start: number, { admitted = 0, refused = 0 }: Partial<DailyUsage> = {}): UsageOfDay {
  return { date: new Date(start).toISOString().slice(0, 10), requests: admitted, refusals: refused };
}
