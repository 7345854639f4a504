import { Column, Entity, PrimaryColumn } from 'typeorm';
import { columnTypes } from '#libs/database';
import { WINDOWS, type WindowName } from '../../auth/index.js';

/** Of each window its number, counted from 1970, and how much of it is used. */
type SavedWindows = Record<WindowName | `${WindowName}Used`, number>;
const WindowColumns = class extends Object {} as unknown as new () => Readonly<SavedWindows>;
for (const { name } of WINDOWS) {
  for (const column of [name, `${name}Used`]) Column(columnTypes.integer)(WindowColumns.prototype as object, column);
}

/** What an API key has used up, as `Counts` without the ban, which its events tell. */
@Entity('rate_limit_counters')
export class SavedCounts extends WindowColumns {
  @PrimaryColumn(columnTypes.int64) readonly keyId!: bigint;
  @Column({ ...columnTypes.integer, name: 'refusal_minute' }) readonly refusalWindow!: number;
  @Column(columnTypes.integer) readonly firstRefusalAt!: number;
  @Column(columnTypes.integer) readonly refusals!: number;
}
