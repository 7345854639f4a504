import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { ReadModels } from '#libs/projections';
import { PetNotFoundError } from '../domain/pet.errors.js';
import { petOf } from '../domain/pet-snapshot.js';
import type { Pet } from '../domain/pet.js';
import { PetReader } from '../read-model/pet.reader.js';
import { petsProjection } from '../read-model/pets.projection.js';

/** The animal with this id. Refused with PetNotFoundError where there is none or it was withdrawn. */
export class GetPet extends Query<Pet> {
  constructor(readonly id: bigint) {
    super();
  }
}

@QueryHandler(GetPet)
export class GetPetHandler implements IQueryHandler<GetPet> {
  constructor(
    private readonly pets: PetReader,
    private readonly readModels: ReadModels,
  ) {}

  async execute({ id }: GetPet): Promise<Pet> {
    await this.readModels.current(petsProjection);
    const found = await this.pets.find(id);
    if (!found) throw new PetNotFoundError(id);
    return petOf(found);
  }
}
