import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { InjectRepository } from '@nestjs/typeorm';
import { READ_CONNECTION } from '#libs/database';
import { MoreThan, Repository } from 'typeorm';
import type { PetStatus } from '../domain/pet-status.js';
import type { Pet } from '../domain/pet.js';
import { PetEntity, petOf } from '../read-model/pet.entity.js';

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
  constructor(@InjectRepository(PetEntity, READ_CONNECTION) private readonly pets: Repository<PetEntity>) {}

  async execute({ page: { limit, status, after } }: ListPets): Promise<ListPetsResult> {
    const rows = await this.pets.find({
      where: { ...(status && { status }), ...(after !== undefined && { id: MoreThan(after) }) },
      order: { id: 'ASC' },
      // One more than asked for tells whether another page follows.
      take: limit + 1,
    });
    const pets = rows.slice(0, limit).map(petOf);
    return { pets, next: rows.length > limit ? pets.at(-1)?.id : undefined };
  }
}
