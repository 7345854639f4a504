import type { TableRow } from '#libs/database';

/** Whether two rows of the same columns hold the same, whether their drivers give an int64 as bigint or as text. */
export function haveEqualValues(row: TableRow, other: TableRow): boolean {
  return row.length === other.length && row.every((value, index) => isSame(value, other[index] ?? null));
}

function isSame(value: TableRow[number], other: TableRow[number]): boolean {
  return value === null || other === null ? value === other : String(value) === String(other);
}
