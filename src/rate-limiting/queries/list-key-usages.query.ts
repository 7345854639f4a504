import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import type { ApiKeyView } from '../../auth/index.js';
import { Clock } from '#libs/clock';
import { Database } from '#libs/database';
import { newKeyCounts } from '../domain/decision.js';
import { loadCountersOf } from '../persistence/counter-table.js';
import { type KeyUsage, keyUsageOf } from './key-usage.js';

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
