import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { ApiKeyView, Plan } from '../../auth/index.js';
import { Clock } from '#libs/clock';
import { Database } from '#libs/database';
import { newKeyCounts } from '../domain/decision.js';
import { enterWindows, remainingIn, windowsOf, type WindowCounts, type WindowState } from '../domain/windows.js';
import { loadCountersOf } from '../store/counter-table.js';

/** One window of a key. */
export interface WindowUsage {
  readonly limit: number;
  readonly used: number;
  readonly remaining: number;
  /** ISO time. */
  readonly resetsAt: string;
}

/** What a key has used up of its plan. */
export interface KeyUsage {
  readonly id: bigint;
  readonly plan: Plan;
  readonly minute: WindowUsage;
  readonly day: WindowUsage;
  /** The ban in force; `until` is an ISO time, `step` its place on the ladder from 1. */
  readonly ban: { readonly until: string; readonly step: number } | null;
}

/** What these API keys have used up, as of the last second, in their order; one statement for all of them. */
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
    const counts = await loadCountersOf(
      this.database.reader,
      keys.map(({ id }) => id),
    );
    const now = this.clock.now().getTime();
    return keys.map((key) => keyUsageOf(key, counts.get(key.id) ?? newKeyCounts(), now));
  }
}

/** The usage of a key at an instant (milliseconds since 1970), whose counts are brought into the windows of that instant. */
function keyUsageOf({ id, plan, limits, lastBan }: ApiKeyView, counts: WindowCounts, now: number): KeyUsage {
  enterWindows(counts, now);
  const { minute, day } = windowsOf(counts, limits);
  const ban = lastBan && Date.parse(lastBan.until) > now ? lastBan : null;
  return { id, plan, minute: usageOf(minute), day: usageOf(day), ban };
}

function usageOf(window: WindowState): WindowUsage {
  const { limit, used, endsAt } = window;
  return { limit, used, remaining: remainingIn(window), resetsAt: new Date(endsAt).toISOString() };
}
