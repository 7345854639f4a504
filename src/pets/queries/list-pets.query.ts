import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { ReadModels } from '#libs/projections';
import type { PetStatus } from '../domain/pet-status.js';
import { petOf } from '../domain/pet-snapshot.js';
import type { Pet } from '../domain/pet.js';
import { PetReader } from '../read-model/pet.reader.js';
import { petsProjection } from '../read-model/pets.projection.js';

export interface ListPetsResult {
  /** Ascending by id. */
  readonly pets: readonly Pet[];
  /** The id to go on after; undefined on the last page. */
  readonly next: bigint | undefined;
}

export interface PetsPage {
  /** The most animals to give, from 1. */
  readonly limit: number;
  /** Only animals of this status. */
  readonly status?: PetStatus;
  /** Only animals with a greater id. */
  readonly after?: bigint;
}

/** One page of the animals. Going on after `next` meets every animal once, also while others are added. */
export class ListPets extends Query<ListPetsResult> {
  constructor(readonly page: PetsPage) {
    super();
  }
}

@QueryHandler(ListPets)
export class ListPetsHandler implements IQueryHandler<ListPets> {
  constructor(
    private readonly pets: PetReader,
    private readonly readModels: ReadModels,
  ) {}

  async execute({ page }: ListPets): Promise<ListPetsResult> {
    await this.readModels.current(petsProjection);
    // One more than asked for tells whether another page follows.
    const found = await this.pets.page({ ...page, limit: page.limit + 1 });
    const pets = found.slice(0, page.limit).map(petOf);
    return { pets, next: found.length > page.limit ? pets.at(-1)?.id : undefined };
  }
}
