import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { columnTypes } from '#libs/database';

/** What a key was used for, and the positions of its events. */
@Entity('idempotency_keys')
@Index('idempotency_keys_age', ['createdAt'])
export class IdempotencyKey {
  @PrimaryColumn(columnTypes.text) readonly scope!: string;
  @PrimaryColumn(columnTypes.text) readonly key!: string;
  @Column(columnTypes.text) readonly fingerprint!: string;
  @Column(columnTypes.int64) readonly firstPosition!: bigint;
  @Column(columnTypes.int64) readonly lastPosition!: bigint;
  @Column(columnTypes.time) readonly createdAt!: Date;
}
