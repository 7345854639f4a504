import { Column, Entity, PrimaryColumn } from 'typeorm';
import { columnTypes } from '#libs/database';

/** What an API key has used up, as `Counts` without the bans, which its events tell. */
@Entity('rate_limit_counters')
export class SavedCounts {
  @PrimaryColumn(columnTypes.int64) readonly keyId!: bigint;
  @Column(columnTypes.integer) readonly minute!: number;
  @Column(columnTypes.integer) readonly minuteUsed!: number;
  @Column(columnTypes.integer) readonly day!: number;
  @Column(columnTypes.integer) readonly dayUsed!: number;
  @Column(columnTypes.integer) readonly refusalMinute!: number;
  @Column(columnTypes.integer) readonly firstRefusalAt!: number;
  @Column(columnTypes.integer) readonly refusals!: number;
}
