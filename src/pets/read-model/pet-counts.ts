import { entityTable, isOneOf, sql, type EntityTable, type SqlFragment } from '#libs/database';
import type { ProjectionTarget, RowChanges } from '#libs/event-sourcing';
import { PetCategoryCount, PetStatusCount } from './pet-count.entity.js';
import type { PetRow } from './pet.entity.js';

const ofStatus = entityTable(PetStatusCount);
const ofCategory = entityTable(PetCategoryCount);

/** Stands for no status, since a primary key cannot be null. */
export const NO_STATUS = '';

/** Number of animals that are not withdrawn by status, and by category and status. There are no rows of zero. */
export const petCounts = {
  entities: [PetStatusCount, PetCategoryCount],
  project({ before, after }: RowChanges<PetRow, unknown>, target: ProjectionTarget): void {
    const changes = new PetCountChanges();
    for (const id of new Set([...before.keys(), ...after.keys()])) changes.add(before.get(id), after.get(id));
    changes.write(target);
  },
};

/** Collects changes of the counts. */
class PetCountChanges {
  private readonly ofStatus = new Map<string, number>();
  private readonly ofCategory = new Map<bigint, Map<string, number>>();

  add(before: PetRow | undefined, after: PetRow | undefined): void {
    if (before && !before.isWithdrawn) this.change(before, -1);
    if (after && !after.isWithdrawn) this.change(after, 1);
  }

  write(target: ProjectionTarget): void {
    const counts = [...this.ofStatus].map(([status, count]): PetStatusCount => ({ status, count }));
    const countsOfCategories = [...this.ofCategory].flatMap(([categoryId, counted]) =>
      [...counted].map(([status, count]): PetCategoryCount => ({ categoryId, status, count })),
    );
    addCounts(target, ofStatus, counts, sql`("status")`);
    addCounts(target, ofCategory, countsOfCategories, sql`("category_id", "status")`);
    this.removeZeros(target, countsOfCategories);
  }

  private change({ categoryId, status: given }: PetRow, by: number): void {
    const status = given ?? NO_STATUS;
    this.ofStatus.set(status, (this.ofStatus.get(status) ?? 0) + by);
    const ofCategory = this.ofCategory.get(categoryId) ?? new Map<string, number>();
    ofCategory.set(status, (ofCategory.get(status) ?? 0) + by);
    this.ofCategory.set(categoryId, ofCategory);
  }

  /** Makes the tables independent of the sizes of batches. */
  private removeZeros(target: ProjectionTarget, counts: readonly PetCategoryCount[]): void {
    const lessened = [...new Set(counts.filter(({ count }) => count < 0).map(({ categoryId }) => categoryId))];
    if ([...this.ofStatus.values()].some((by) => by < 0)) {
      target.execute(sql`DELETE FROM ${target.table(ofStatus.name)} WHERE "count" = 0`);
    }
    if (lessened.length === 0) return;
    target.execute(sql`DELETE FROM ${target.table(ofCategory.name)} WHERE "count" = 0 AND "category_id" ${isOneOf(lessened)}`);
  }
}

function addCounts<Row extends { readonly count: number }>(
  target: ProjectionTarget,
  table: EntityTable<Row>,
  rows: readonly Row[],
  key: SqlFragment,
): void {
  const into = target.table(table.name);
  const suffix = sql`ON CONFLICT ${key} DO UPDATE SET "count" = ${into}."count" + excluded."count"`;
  const changed = rows.filter(({ count }) => count !== 0);
  table.insert(target, changed, { suffix, into });
}
