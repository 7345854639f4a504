import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { Database, identifier, sql } from '#libs/database';
import { ReadModels, tableNameOf } from '#libs/projections';
import { PET_STATUSES, type PetStatus } from '../domain/pet-status.js';
import { NO_STATUS, STATUS_COUNTS } from '../read-model/pet-counts.js';
import { petsProjection } from '../read-model/pets.projection.js';

export interface PetCount {
  /** null: the animals without a status. */
  readonly status: PetStatus | null;
  readonly count: number;
}

/** How many animals have each status, and how many have none; those that no animal has too. */
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
      sql`SELECT "status", "count" FROM ${identifier(tableNameOf(petsProjection, STATUS_COUNTS))}`,
    );
    const counts = new Map(rows.map(({ status, count }) => [status, Number(count)]));
    return [...PET_STATUSES, null].map((status) => ({ status, count: counts.get(status ?? NO_STATUS) ?? 0 }));
  }
}
