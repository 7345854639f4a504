import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { ReadModels } from '#libs/projections';
import type { PetFilter } from '../domain/pet-filter.js';
import type { PetSnapshot } from '../domain/pet-snapshot.js';
import { PetReader } from '../read-model/pet.reader.js';
import { petsProjection } from '../read-model/pets.projection.js';

export interface BrowsePetsPage extends PetFilter {
  /** The most animals to give, from 1. */
  readonly limit: number;
  /** Only animals with a greater id. */
  readonly after?: bigint;
}

export interface BrowsePetsResult {
  /** Ascending by id. */
  readonly pets: readonly PetSnapshot[];
  readonly hasNext: boolean;
}

/** One page of the animals, with when each was added. */
export class BrowsePets extends Query<BrowsePetsResult> {
  constructor(readonly page: BrowsePetsPage) {
    super();
  }
}

@QueryHandler(BrowsePets)
export class BrowsePetsHandler implements IQueryHandler<BrowsePets> {
  constructor(
    private readonly pets: PetReader,
    private readonly readModels: ReadModels,
  ) {}

  async execute({ page }: BrowsePets): Promise<BrowsePetsResult> {
    await this.readModels.current(petsProjection);
    // One more than asked for tells whether another page follows.
    const found = await this.pets.page({ ...page, limit: page.limit + 1 });
    return { pets: found.slice(0, page.limit), hasNext: found.length > page.limit };
  }
}
