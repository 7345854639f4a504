import { Injectable } from '@nestjs/common';
import { Database, entityTable, type EntityClass, identifier, isOneOf, raw, sql, type SqlFragment, whereAll } from '#libs/database';
import { projectionTableName, ReadModels, RowReader } from '#libs/event-sourcing';
import type { PetSnapshot } from '../domain/pet.js';
import { PetCategoryCount, PetStatusCount } from './pet-count.entity.js';
import { NO_STATUS } from './pet-counts.js';
import type { PetFilters } from './pet-search.projection.js';
import { petsProjection } from './pets.projection.js';

/** Filters whose combinations are counted with every change. */
export type CountedPetFilters = Pick<PetFilters, 'statusIn' | 'hasStatus' | 'categoryIn'>;

const tableOf = (entity: EntityClass) => identifier(projectionTableName(petsProjection, entityTable(entity).name));

/** Reads animals and their counts as of the last acknowledged change. */
@Injectable()
export class PetReader extends RowReader<PetSnapshot> {
  constructor(database: Database, readModels: ReadModels) {
    super(petsProjection, database, readModels);
  }

  /** Counts the animals that match, by stored counts. */
  async countBy({ statusIn, hasStatus, categoryIn }: CountedPetFilters): Promise<number> {
    const table = tableOf(categoryIn ? PetCategoryCount : PetStatusCount);
    const conditions: SqlFragment[] = [
      ...(statusIn ? [sql`"status" ${isOneOf(statusIn.map((status) => status ?? NO_STATUS))}`] : []),
      ...(hasStatus === undefined ? [] : [sql`"status" ${raw(hasStatus ? '<>' : '=')} ${NO_STATUS}`]),
      ...(categoryIn ? [sql`"category_id" ${isOneOf(categoryIn)}`] : []),
    ];
    const [found] = await this.query<{ total: bigint | string }>(
      sql`SELECT coalesce(sum("count"), 0) AS "total" FROM ${table} ${whereAll(conditions)}`,
    );
    return Number(found?.total ?? 0);
  }

  /** Returns the number of animals by status, undefined for those without one; a status without animals has no entry. */
  async countByStatus(): Promise<ReadonlyMap<string | undefined, number>> {
    const rows = await this.query<{ status: string; count: bigint | string }>(
      sql`SELECT "status", "count" FROM ${tableOf(PetStatusCount)}`,
    );
    return new Map(rows.map(({ status, count }) => [status === NO_STATUS ? undefined : status, Number(count)]));
  }
}
