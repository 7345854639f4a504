import { insertRows, isOneOf, sql } from '#libs/database';
import type { ProjectionTable, ProjectionTarget, RowChanges } from '#libs/event-sourcing';
import type { PetStatus } from '../domain/pet.js';

export const STATUS_COUNTS = 'pet_status_counts';
export const CATEGORY_COUNTS = 'pet_category_counts';
/** Stands for no status, since a primary key cannot be null. */
export const NO_STATUS = '';

const tables: readonly ProjectionTable[] = [
  { name: STATUS_COUNTS, columns: { status: { type: 'text' }, count: { type: 'int64' } }, primaryKey: ['status'] },
  {
    name: CATEGORY_COUNTS,
    columns: { category_id: { type: 'int64' }, status: { type: 'text' }, count: { type: 'int64' } },
    primaryKey: ['category_id', 'status'],
  },
];

interface CountedPet {
  readonly isWithdrawn: boolean;
  readonly categoryId: bigint;
  readonly status?: PetStatus;
}

/** Number of animals that are not withdrawn by status, and by category and status. There are no rows of zero. */
export const petCounts = {
  tables,
  project({ before, after }: RowChanges<CountedPet, unknown>, target: ProjectionTarget): void {
    const changes = new PetCountChanges();
    for (const id of new Set([...before.keys(), ...after.keys()])) changes.add(before.get(id), after.get(id));
    changes.write(target);
  },
};

/** Collects changes of the counts. */
class PetCountChanges {
  private readonly ofStatus = new Map<string, number>();
  private readonly ofCategory = new Map<bigint, Map<string, number>>();

  add(before: CountedPet | undefined, after: CountedPet | undefined): void {
    if (before && !before.isWithdrawn) this.change(before, -1);
    if (after && !after.isWithdrawn) this.change(after, 1);
  }

  write(target: ProjectionTarget): void {
    const rows = [...this.ofCategory].flatMap(([category, ofStatus]) =>
      [...ofStatus].filter(([, by]) => by !== 0).map(([status, by]): CategoryRow => [category, status, by]),
    );
    addCounts(target, { table: STATUS_COUNTS, key: ['status'], rows: [...this.ofStatus].filter(([, by]) => by !== 0) });
    addCounts(target, { table: CATEGORY_COUNTS, key: ['category_id', 'status'], rows });
    this.removeZeros(target, rows);
  }

  private change({ categoryId, status: given }: CountedPet, by: number): void {
    const status = given ?? NO_STATUS;
    this.ofStatus.set(status, (this.ofStatus.get(status) ?? 0) + by);
    const ofCategory = this.ofCategory.get(categoryId) ?? new Map<string, number>();
    ofCategory.set(status, (ofCategory.get(status) ?? 0) + by);
    this.ofCategory.set(categoryId, ofCategory);
  }

  /** Makes the tables independent of the sizes of batches. */
  private removeZeros(target: ProjectionTarget, rows: readonly CategoryRow[]): void {
    const lessened = [...new Set(rows.filter(([, , by]) => by < 0).map(([category]) => category))];
    if ([...this.ofStatus.values()].some((by) => by < 0)) {
      target.execute(sql`DELETE FROM ${target.table(STATUS_COUNTS)} WHERE "count" = 0`);
    }
    if (lessened.length === 0) return;
    target.execute(sql`DELETE FROM ${target.table(CATEGORY_COUNTS)} WHERE "count" = 0 AND "category_id" ${isOneOf(lessened)}`);
  }
}

type CategoryRow = readonly [category: bigint, status: string, by: number];

interface CountRows {
  readonly table: string;
  readonly key: readonly string[];
  readonly rows: readonly (readonly (string | number | bigint)[])[];
}

function addCounts(target: ProjectionTarget, { table, key, rows }: CountRows): void {
  const name = target.table(table);
  const onConflict = key.length === 1 ? sql`("status")` : sql`("category_id", "status")`;
  const suffix = sql`ON CONFLICT ${onConflict} DO UPDATE SET "count" = ${name}."count" + excluded."count"`;
  insertRows(target, { table: name, columns: [...key, 'count'], rows, suffix });
}
