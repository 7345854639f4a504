import { type IQueryHandler, Query, QueryBus, QueryHandler } from '@nestjs/cqrs';
import { ListPetCounts, type PetStatus } from '../../pets/index.js';

/** How many animals have each status; `unset`: none. */
export type Inventory = Readonly<Record<PetStatus | 'unset', number>>;

/** What the store has, exactly. */
export class CountInventory extends Query<Inventory> {}

@QueryHandler(CountInventory)
export class CountInventoryHandler implements IQueryHandler<CountInventory> {
  constructor(private readonly queries: QueryBus) {}

  async execute(): Promise<Inventory> {
    const counts = await this.queries.execute(new ListPetCounts());
    return Object.fromEntries(counts.map(({ status, count }) => [status ?? 'unset', count])) as Inventory;
  }
}
