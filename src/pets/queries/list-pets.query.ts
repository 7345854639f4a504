import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { ReadModels, toPage, type Page } from '#libs/projections';
import type { PetSnapshot } from '../domain/pet.js';
import { PetReader, type PetRange } from '../read-model/pet.reader.js';
import { petsProjection } from '../read-model/pets.projection.js';

/** One page of the animals, ascending by id. Going on after `next` meets every animal once, also while others are added. */
export class ListPets extends Query<Page<PetSnapshot>> {
  constructor(readonly range: PetRange) {
    super();
  }
}

@QueryHandler(ListPets)
export class ListPetsHandler implements IQueryHandler<ListPets> {
  constructor(
    private readonly pets: PetReader,
    private readonly readModels: ReadModels,
  ) {}

  async execute({ range }: ListPets): Promise<Page<PetSnapshot>> {
    await this.readModels.current(petsProjection);
    return toPage(
      range,
      (further) => this.pets.page(further),
      ({ id }) => id,
    );
  }
}
