import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { columnTypes, optional } from '#libs/database';

/** A message to an endpoint that is due some time: a retry, an event to be sent again, or a test. */
@Entity('webhook_pending')
export class PendingDelivery {
  @PrimaryColumn(columnTypes.int64) readonly webhookId!: bigint;
  /** The id of the event or of the test. */
  @PrimaryColumn(columnTypes.text) readonly eventId!: string;
  @Column(columnTypes.text) readonly type!: string;
  /** When the event happened, or the test was requested. */
  @Column(columnTypes.time) readonly eventAt!: Date;
  /** From 1. */
  @Column(columnTypes.integer) readonly attempt!: number;
  @Index('webhook_pending_due')
  @Column(columnTypes.time)
  readonly dueAt!: Date;
  /** The id that the next attempt was promised; undefined if none was. */
  @Column(optional(columnTypes.int64)) readonly deliveryId?: bigint;
}

/** One attempt to send a message, and its outcome. The event is described as in `PendingDelivery`. */
@Entity('webhook_deliveries')
@Index('webhook_deliveries_of_endpoint', ['webhookId', 'id'])
export class DeliveryRow {
  @PrimaryColumn(columnTypes.int64) readonly id!: bigint;
  @Column(columnTypes.int64) readonly webhookId!: bigint;
  @Column(columnTypes.text) readonly eventId!: string;
  @Column(columnTypes.text) readonly type!: string;
  @Column(columnTypes.time) readonly eventAt!: Date;
  @Column(columnTypes.integer) readonly attempt!: number;
  /** The status of the response; undefined if there was none. */
  @Column(optional(columnTypes.integer)) readonly status?: number;
  /** Why it failed, for the owner of the endpoint; undefined if it succeeded. */
  @Column(optional(columnTypes.text)) readonly error?: string;
  @Column(columnTypes.integer) readonly durationMilliseconds!: number;
  @Index('webhook_deliveries_age')
  @Column(columnTypes.time)
  readonly attemptedAt!: Date;
  /** Undefined if the message was delivered or given up. */
  @Column(optional(columnTypes.time)) readonly nextAttemptAt?: Date;
}

/** The last id that an attempt got: one row. */
@Entity('webhook_delivery_ids')
export class DeliveryIds {
  @PrimaryColumn(columnTypes.text) readonly name!: string;
  @Column(columnTypes.int64) readonly lastValue!: bigint;
}
