import { Column, Entity, PrimaryColumn } from 'typeorm';
import { columnTypes } from '#libs/database';

/** How far a follower has come, and which instance calls it. */
@Entity('event_followers')
export class FollowerCheckpoint {
  @PrimaryColumn(columnTypes.text) readonly name!: string;
  /** The position of the last event that it has handled. */
  @Column(columnTypes.int64) readonly position!: bigint;
  /** How often the event after it has failed. */
  @Column(columnTypes.integer) readonly failures!: number;
  /** When that is tried again. */
  @Column(columnTypes.time) readonly retryAt!: Date;
  @Column(columnTypes.text) readonly holder!: string;
  @Column(columnTypes.time) readonly heldUntil!: Date;
}
