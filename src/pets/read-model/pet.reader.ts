import { Injectable } from '@nestjs/common';
import { Database, entityTable, identifier, isOneOf, sql, whereAll } from '#libs/database';
import { CountReader, EventStore, ListReader, projectionTableName, ReadModels } from '#libs/event-sourcing';
import { NO_STATUS, PetCategoryCount } from './pet-counts.js';
import type { PetRow } from './pet.entity.js';
import { petDailyCounts, petFilters, petsProjection, type PetFilters } from './pets.projection.js';

/** Filters whose combinations are counted with every change. */
export type CountedPetFilters = Pick<PetFilters, 'statusIn' | 'hasStatus' | 'categoryIn'>;

/** Reads animals, the withdrawn ones too, and their counts as of the last acknowledged change. */
@Injectable()
export class PetReader extends ListReader<PetRow, typeof petFilters> {
  /** Counts by `status`, by `category` and by `adoption`. */
  readonly counts: CountReader<PetRow>;

  constructor(database: Database, readModels: ReadModels, eventStore: EventStore) {
    super(petsProjection, petFilters, database, readModels);
    this.counts = new CountReader({ projection: petsProjection, counts: petDailyCounts, database, readModels, eventStore });
  }

  /** Returns the animals among these ids that are not withdrawn, in no order. */
  async findPresent(ids: readonly bigint[]): Promise<PetRow[]> {
    return (await this.findAll(ids)).filter(({ isWithdrawn }) => !isWithdrawn);
  }

  /** Counts the animals that match and are not withdrawn, by stored counts. */
  async countBy({ statusIn, hasStatus, categoryIn }: CountedPetFilters): Promise<number> {
    const counts = [...(await this.countByStatus(categoryIn))].filter(
      ([status]) => (!statusIn || statusIn.some((word) => word === status)) && (hasStatus === undefined || hasStatus === (status !== null)),
    );
    return counts.reduce((total, [, count]) => total + count, 0);
  }

  /**
   * Returns the number of animals that are not withdrawn by status, null for those without one; a status without animals has no entry.
   * @param categoryIn default: of all categories
   */
  async countByStatus(categoryIn?: readonly bigint[]): Promise<ReadonlyMap<string | null, number>> {
    const table = identifier(projectionTableName(petsProjection, entityTable(PetCategoryCount).name));
    const where = whereAll(categoryIn ? [sql`"category_id" ${isOneOf(categoryIn)}`] : []);
    const rows = await this.query<{ status: string; total: bigint | string }>(
      sql`SELECT "status", sum("count") AS "total" FROM ${table} ${where} GROUP BY "status"`,
    );
    return new Map(rows.map(({ status, total }) => [status === NO_STATUS ? null : status, Number(total)]));
  }
}
