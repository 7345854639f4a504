import { Injectable } from '@nestjs/common';
import { Database, entityTable, type EntityClass, identifier, isOneOf, raw, sql, type SqlFragment, whereAll } from '#libs/database';
import { CountReader, EventStore, ListReader, projectionTableName, ReadModels } from '#libs/event-sourcing';
import { PetCategoryCount, PetStatusCount } from './pet-count.entity.js';
import { NO_STATUS } from './pet-counts.js';
import type { PetRow } from './pet.entity.js';
import { petDailyCounts, petFilters, petsProjection, type PetFilters } from './pets.projection.js';

/** Filters whose combinations are counted with every change. */
export type CountedPetFilters = Pick<PetFilters, 'statusIn' | 'hasStatus' | 'categoryIn'>;

const tableOf = (entity: EntityClass) => identifier(projectionTableName(petsProjection, entityTable(entity).name));

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

  /** Returns the number of animals that are not withdrawn by status, undefined for those without one; a status without animals has no entry. */
  async countByStatus(): Promise<ReadonlyMap<string | undefined, number>> {
    const rows = await this.query<{ status: string; count: bigint | string }>(
      sql`SELECT "status", "count" FROM ${tableOf(PetStatusCount)}`,
    );
    return new Map(rows.map(({ status, count }) => [status === NO_STATUS ? undefined : status, Number(count)]));
  }
}
