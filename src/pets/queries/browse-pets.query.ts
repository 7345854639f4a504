import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { InjectRepository } from '@nestjs/typeorm';
import { READ_CONNECTION } from '#libs/database';
import { MoreThan, Repository } from 'typeorm';
import type { PetFilter } from '../domain/pet-filter.js';
import type { PetSnapshot } from '../domain/pet-snapshot.js';
import { PetEntity, petSnapshotOf } from '../read-model/pet.entity.js';

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
  constructor(@InjectRepository(PetEntity, READ_CONNECTION) private readonly pets: Repository<PetEntity>) {}

  async execute({ page: { limit, after, status, categoryId } }: BrowsePets): Promise<BrowsePetsResult> {
    const rows = await this.pets.find({
      where: {
        ...(status && { status }),
        ...(categoryId !== undefined && { categoryId }),
        ...(after !== undefined && { id: MoreThan(after) }),
      },
      order: { id: 'ASC' },
      // One more than asked for tells whether another page follows.
      take: limit + 1,
    });
    return { pets: rows.slice(0, limit).map(petSnapshotOf), hasNext: rows.length > limit };
  }
}
