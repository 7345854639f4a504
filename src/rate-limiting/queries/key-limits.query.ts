import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Clock } from '#libs/observability';
import { LimiterStore, type KeySubject } from '../store/limiter.store.js';
import { toUsage, type WindowUsage } from './list-key-usages.query.js';

/** What a key has left at a moment. */
export interface KeyLimits {
  readonly minute: WindowUsage;
  readonly day: WindowUsage;
  /** The end of the ban in force, also of one that is not in the log yet; undefined without one. */
  readonly bannedUntil: Date | undefined;
}

/** The current state of an API key's limits, with the requests of every instance. Counts nothing. Only in the service. */
export class GetKeyLimits extends Query<KeyLimits> {
  constructor(readonly key: KeySubject) {
    super();
  }
}

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
