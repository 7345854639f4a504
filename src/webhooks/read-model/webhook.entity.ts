import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { columnTypes, optional } from '#libs/database';
import type { DisabledReason } from '../domain/webhook.js';

/** An endpoint that exists. */
@Entity('webhooks')
@Index(['registeredBy', 'id'])
@Index(['enabled', 'id'])
export class WebhookRow {
  @PrimaryColumn(columnTypes.int64) readonly id!: bigint;
  @Column({ ...columnTypes.int64, name: 'key_id' }) readonly registeredBy!: bigint;
  @Column(columnTypes.text) readonly url!: string;
  @Column(optional(columnTypes.json)) readonly types?: readonly string[];
  @Column(optional(columnTypes.text)) readonly description?: string;
  @Column(columnTypes.boolean) readonly enabled!: boolean;
  @Column(optional(columnTypes.text)) readonly disabledReason?: DisabledReason;
  @Column(columnTypes.time) readonly createdAt!: Date;
  @Column(columnTypes.int64) readonly startsAfter!: bigint;
  @Column(columnTypes.integer) readonly version!: number;
}
