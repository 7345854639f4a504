import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { Database, identifier, join, sql } from '#libs/database';
import { ReadModels, projectionTableName } from '#libs/event-sourcing';
import { PET_STATUSES, type PetFilter, type PetStatus } from '../domain/pet.js';
import { CATEGORY_COUNTS, NO_STATUS, STATUS_COUNTS } from '../read-model/pet-counts.js';
import { petsProjection } from '../read-model/pets.projection.js';

/** Counts the animals that match a filter, by stored counts. */
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
    const table = identifier(projectionTableName(petsProjection, categoryId === undefined ? STATUS_COUNTS : CATEGORY_COUNTS));
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

export interface PetCount {
  /** Null: animals without a status. */
  readonly status: PetStatus | null;
  readonly count: number;
}

/** Counts the animals of each status and those without one; zeros included. */
export class ListPetCounts extends Query<readonly PetCount[]> {}

@QueryHandler(ListPetCounts)
export class ListPetCountsHandler implements IQueryHandler<ListPetCounts> {
  constructor(
    private readonly database: Database,
    private readonly readModels: ReadModels,
  ) {}

  async execute(): Promise<readonly PetCount[]> {
    await this.readModels.current(petsProjection);
    const rows = await this.database.reader.query<{ status: string; count: bigint | string }>(
      sql`SELECT "status", "count" FROM ${identifier(projectionTableName(petsProjection, STATUS_COUNTS))}`,
    );
    const counts = new Map(rows.map(({ status, count }) => [status, Number(count)]));
    return [...PET_STATUSES, null].map((status) => ({ status, count: counts.get(status ?? NO_STATUS) ?? 0 }));
  }
}
