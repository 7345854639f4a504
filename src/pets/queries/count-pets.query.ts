import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { Database, identifier, join, sql } from '#libs/database';
import { ReadModels, tableNameOf } from '#libs/projections';
import type { PetFilter } from '../domain/pet-filter.js';
import { CATEGORY_COUNTS, STATUS_COUNTS } from '../read-model/pet-counts.js';
import { petsProjection } from '../read-model/pets.projection.js';

/** How many animals there are of a filter, from the counts that are kept; a page of them is not looked at. */
export class CountPets extends Query<number> {
  constructor(readonly filter: PetFilter) {
    super();
  }
}

@QueryHandler(CountPets)
export class CountPetsHandler implements IQueryHandler<CountPets> {
  constructor(
    private readonly database: Database,
    private readonly readModels: ReadModels,
  ) {}

  async execute({ filter: { status, categoryId } }: CountPets): Promise<number> {
    const table = identifier(tableNameOf(petsProjection, categoryId === undefined ? STATUS_COUNTS : CATEGORY_COUNTS));
    const conditions = [
      sql`1 = 1`,
      ...(status === undefined ? [] : [sql`"status" = ${status}`]),
      ...(categoryId === undefined ? [] : [sql`"category_id" = ${categoryId}`]),
    ];
    await this.readModels.current(petsProjection);
    const [found] = await this.database.reader.query<{ total: bigint | string }>(
      sql`SELECT coalesce(sum("count"), 0) AS "total" FROM ${table} WHERE ${join(conditions, ' AND ')}`,
    );
    return Number(found?.total ?? 0);
  }
}
