import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { InjectRepository } from '@nestjs/typeorm';
import { READ_CONNECTION } from '#libs/database';
import { Repository } from 'typeorm';
import { PetNotFoundError } from '../domain/pet.errors.js';
import type { Pet } from '../domain/pet.js';
import { PetEntity, petOf } from '../read-model/pet.entity.js';

/** The animal with this id. Refused with PetNotFoundError where there is none or it was withdrawn. */
export class GetPet extends Query<Pet> {
  constructor(readonly id: bigint) {
    super();
  }
}

@QueryHandler(GetPet)
export class GetPetHandler implements IQueryHandler<GetPet> {
  constructor(@InjectRepository(PetEntity, READ_CONNECTION) private readonly pets: Repository<PetEntity>) {}

  async execute({ id }: GetPet): Promise<Pet> {
    const row = await this.pets.findOneBy({ id });
    if (!row) throw new PetNotFoundError(id);
    return petOf(row);
  }
}
