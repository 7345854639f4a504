import { Column, Entity, PrimaryColumn } from 'typeorm';
import { columnTypes, optional } from '#libs/database';

/** How far an endpoint has come, and which instance sends to it. */
@Entity('webhook_progress')
export class ProgressRow {
  @PrimaryColumn(columnTypes.int64) readonly webhookId!: bigint;
  /** The position of the event behind which events are sent to it. */
  @Column(columnTypes.int64) readonly startsAfter!: bigint;
  /** Every matching event up to this position was sent once, whatever came of it. */
  @Column(columnTypes.int64) readonly position!: bigint;
  /** Where a replay is that sends the events up to `replayUntil` again; undefined if none is under way. */
  @Column(optional(columnTypes.int64)) readonly replayPosition?: bigint;
  @Column(optional(columnTypes.int64)) readonly replayUntil?: bigint;
  /** When the first attempt failed since the last successful one; undefined if the last one succeeded. */
  @Column(optional(columnTypes.time)) readonly failingSince?: Date;
  @Column(optional(columnTypes.text)) readonly holder?: string;
  @Column(columnTypes.integer) readonly heldUntil!: number;
}
