import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { columnTypes, optional } from '#libs/database';
import { DailyCount } from '#libs/event-sourcing';
import type { OrderStatus } from '../domain/order.js';

/** An order. */
@Entity('orders')
@Index(['placedAt', 'id'])
@Index(['status', 'id'])
@Index(['status', 'expiresAt'])
@Index(['petId', 'id'])
@Index(['placedBy', 'id'])
@Index(['placedBy', 'placedAt', 'id'])
@Index(['placedBy', 'status', 'id'])
export class OrderRow {
  @PrimaryColumn(columnTypes.int64) readonly id!: bigint;
  @Column(columnTypes.int64) readonly petId!: bigint;
  @Column(columnTypes.text) readonly status!: OrderStatus;
  @Column(optional(columnTypes.text)) readonly note?: string | undefined;
  @Column(columnTypes.time) readonly placedAt!: Date;
  @Column(optional(columnTypes.time)) readonly expiresAt?: Date | undefined;
  @Column(optional(columnTypes.time)) readonly endedAt?: Date | undefined;
  @Column(columnTypes.int64) readonly placedBy!: bigint;
  @Column(columnTypes.integer) readonly version!: number;
}

/** The changes of the numbers of orders by status. */
@Entity('order_daily_counts')
export class OrderDailyCount extends DailyCount {}
