import { Query, QueryBus, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { GetApiKey, type Plan } from '../../auth/index.js';
import { Clock } from '#libs/clock';
import { Database } from '#libs/database';
import { enterWindows, remainingIn, windowsOf, type WindowState } from '../domain/windows.js';
import { loadCountersOf } from '../persistence/counter-table.js';

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

/** What an API key has used up, as of the last second; an ApplicationError `not_found` when there is no such key. */
export class GetKeyUsage extends Query<KeyUsage> {
  constructor(readonly id: bigint) {
    super();
  }
}

@QueryHandler(GetKeyUsage)
export class GetKeyUsageHandler implements IQueryHandler<GetKeyUsage> {
  constructor(
    private readonly queries: QueryBus,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async execute({ id }: GetKeyUsage): Promise<KeyUsage> {
    const { plan, limits, lastBan } = await this.queries.execute(new GetApiKey(id));
    const counts = await loadCountersOf(this.database.reader, id);
    const now = this.clock.now().getTime();
    enterWindows(counts, now);
    const { minute, day } = windowsOf(counts, limits);
    const ban = lastBan && Date.parse(lastBan.until) > now ? lastBan : null;
    return { id, plan, minute: usageOf(minute), day: usageOf(day), ban };
  }
}

function usageOf(window: WindowState): WindowUsage {
  const { limit, used, endsAt } = window;
  return { limit, used, remaining: remainingIn(window), resetsAt: new Date(endsAt).toISOString() };
}
