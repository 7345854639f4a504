import { Column, Entity, PrimaryColumn } from 'typeorm';
import { columnTypes, optional } from '#libs/database';

const { collation: _, ...text } = columnTypes.text;

/** A secret of an endpoint. */
@Entity('webhook_secrets')
export class WebhookSecret {
  @PrimaryColumn(columnTypes.int64) readonly webhookId!: bigint;
  @PrimaryColumn(text) readonly secret!: string;
  @Column(columnTypes.time) readonly createdAt!: Date;
  /** Absent for the newest one. */
  @Column(optional(columnTypes.time)) readonly validUntil?: Date;
}
