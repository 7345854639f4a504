import { Query, QueryBus, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { GetApiKey } from '../../auth/index.js';
import { Clock } from '#libs/clock';
import { Database } from '#libs/database';
import { newKeyCounts } from '../domain/decision.js';
import { loadCountersOf } from '../persistence/counter-table.js';
import { type KeyUsage, keyUsageOf } from './key-usage.js';

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
    const key = await this.queries.execute(new GetApiKey(id));
    const counts = await loadCountersOf(this.database.reader, [id]);
    return keyUsageOf(key, counts.get(id) ?? newKeyCounts(), this.clock.now().getTime());
  }
}
