import { Column, Entity, PrimaryColumn } from 'typeorm';
import { columnTypes, entityTable, isOneOf, sql } from '#libs/database';
import type { ProjectionTarget, RowChanges } from '#libs/event-sourcing';
import type { PetRow } from './pet.entity.js';

/** How many animals of a category have a status. */
@Entity('pet_category_counts')
export class PetCategoryCount {
  @PrimaryColumn(columnTypes.int64) readonly categoryId!: bigint;
  @PrimaryColumn(columnTypes.text) readonly status!: string;
  @Column(columnTypes.integer) readonly count!: number;
}

/** Stands for no status, since a primary key cannot be null. */
export const NO_STATUS = '';

/** Numbers of the animals that are not withdrawn by category and status. There are no rows of zero. */
export const petCounts = {
  entities: [PetCategoryCount],
  project({ before, after }: RowChanges<PetRow, unknown>, target: ProjectionTarget): void {
    const table = entityTable(PetCategoryCount);
    const into = target.table(table.name);
    const counts = sumChanges(before, after);
    const suffix = sql`ON CONFLICT ("category_id", "status") DO UPDATE SET "count" = ${into}."count" + excluded."count"`;
    table.insert(target, counts, { suffix, into });
    const lessened = new Set(counts.filter(({ count }) => count < 0).map(({ categoryId }) => categoryId));
    if (lessened.size === 0) return;
    // Without them the table does not depend on the sizes of batches.
    target.execute(sql`DELETE FROM ${into} WHERE "count" = 0 AND "category_id" ${isOneOf([...lessened])}`);
  },
};

function sumChanges(before: ReadonlyMap<bigint, PetRow>, after: ReadonlyMap<bigint, PetRow>): PetCategoryCount[] {
  const counts = new Map<string, PetCategoryCount>();
  const add = ({ categoryId, isWithdrawn, ...pet }: PetRow, change: 1 | -1) => {
    const status = pet.status ?? NO_STATUS;
    const name = `${categoryId} ${status}`;
    if (!isWithdrawn) counts.set(name, { categoryId, status, count: (counts.get(name)?.count ?? 0) + change });
  };
  for (const row of before.values()) add(row, -1);
  for (const row of after.values()) add(row, 1);
  return [...counts.values()].filter(({ count }) => count !== 0);
}
