import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { ApiKeyView, Plan } from '../../auth/index.js';
import { Clock } from '#libs/observability';
import { Database } from '#libs/database';
import { enterWindows, newCounts, countRemaining, toDay, toWindows, type Counts, type WindowState } from '../domain/decision.js';
import { loadCounters, loadUsedToday } from '../store/counter-persistence.js';

/** One window of a key. */
export interface WindowUsage {
  readonly limit: number;
  readonly used: number;
  readonly remaining: number;
  readonly resetsAt: Date;
}

/** What an API key has used up of its plan. */
export interface KeyUsage {
  readonly id: bigint;
  readonly plan: Plan;
  readonly minute: WindowUsage;
  readonly day: WindowUsage;
  /** The ban in force; `step`: its place on the ladder, from 1; `reason`: why, of one by an operator. */
  readonly ban: { readonly until: Date; readonly step: number; readonly reason?: string } | null;
}

/** What these API keys have used up as of the last second, in the order of the keys. */
export class ListKeyUsages extends Query<readonly KeyUsage[]> {
  constructor(readonly keys: readonly ApiKeyView[]) {
    super();
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

/** Returns the usage of a key at `now`, milliseconds since 1970. */
function toKeyUsage({ id, plan, limits, lastBan }: ApiKeyView, counts: Counts, now: number): KeyUsage {
  enterWindows(counts, now);
  const { minute, day } = toWindows(counts, limits);
  const ban = lastBan && lastBan.until.getTime() > now ? lastBan : null;
  return { id, plan, minute: toUsage(minute), day: toUsage(day), ban };
}

/** Returns a window as the response headers describe it. */
export function toUsage(window: WindowState): WindowUsage {
  const { limit, used, endsAt } = window;
  return { limit, used, remaining: countRemaining(window), resetsAt: new Date(endsAt) };
}

/** How many requests of its UTC day each API key has used, without those that have used none. */
export class FindUsedToday extends Query<ReadonlyMap<bigint, number>> {}

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
