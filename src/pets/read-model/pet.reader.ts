import { Injectable } from '@nestjs/common';
import { Database, identifier, sql } from '#libs/database';
import { projectionTableName, ReadModels, RowReader, whereAll, type PageRange } from '#libs/event-sourcing';
import type { PetFilter, PetSnapshot } from '../domain/pet.js';
import { CATEGORY_COUNTS, NO_STATUS, STATUS_COUNTS } from './pet-counts.js';
import { petsProjection } from './pets.projection.js';

/** A page of the animals that have all given values. */
export interface PetRange extends PageRange, PetFilter {}

const tableOf = (name: string) => identifier(projectionTableName(petsProjection, name));

/** Reads animals and their counts as of the last acknowledged change. */
@Injectable()
export class PetReader extends RowReader<PetSnapshot> {
  constructor(database: Database, readModels: ReadModels) {
    super(petsProjection, database, readModels);
  }

  /** Counts the animals that match a filter, by stored counts. */
  override async count(filter: PetFilter): Promise<number> {
    // Both tables name their columns as the animals' own does.
    const table = tableOf(filter.categoryId === undefined ? STATUS_COUNTS : CATEGORY_COUNTS);
    const [found] = await this.query<{ total: bigint | string }>(
      sql`SELECT coalesce(sum("count"), 0) AS "total" FROM ${table} ${whereAll(this.conditions(filter))}`,
    );
    return Number(found?.total ?? 0);
  }

  /** Returns the number of animals by status, undefined for those without one; a status without animals has no entry. */
  async countByStatus(): Promise<ReadonlyMap<string | undefined, number>> {
    const rows = await this.query<{ status: string; count: bigint | string }>(sql`SELECT "status", "count" FROM ${tableOf(STATUS_COUNTS)}`);
    return new Map(rows.map(({ status, count }) => [status === NO_STATUS ? undefined : status, Number(count)]));
  }
}
