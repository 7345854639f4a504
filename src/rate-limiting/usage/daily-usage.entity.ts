import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { columnTypes } from '#libs/database';

/** Requests of a key on a UTC day. */
@Entity('api_key_daily_usage')
export class DailyUsage {
  @PrimaryColumn(columnTypes.int64) readonly keyId!: bigint;
  /** The start of the day, in milliseconds since 1970. */
  @Index('api_key_daily_usage_day_start')
  @PrimaryColumn(columnTypes.integer)
  readonly dayStart!: number;
  @Column(columnTypes.integer) readonly admitted!: number;
  @Column(columnTypes.integer) readonly refused!: number;
}
