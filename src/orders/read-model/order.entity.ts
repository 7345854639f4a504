import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { columnTypes, optional } from '#libs/database';
import { DailyCount } from '#libs/event-sourcing';
import type { OrderStatus } from '../domain/order.js';

abstract class OrderColumns {
  @PrimaryColumn(columnTypes.int64) readonly id!: bigint;
  @Column(columnTypes.int64) readonly petId!: bigint;
  @Column(columnTypes.text) readonly status!: OrderStatus;
  @Column(optional(columnTypes.text)) readonly note?: string;
  @Column(columnTypes.time) readonly placedAt!: Date;
  @Column(optional(columnTypes.time)) readonly expiresAt?: Date;
  @Column(optional(columnTypes.time)) readonly endedAt?: Date;
  @Column(columnTypes.int64) readonly placedBy!: bigint;
  @Column(columnTypes.integer) readonly version!: number;
}

/** An order. */
@Entity('orders')
@Index(['placedBy', 'id'])
@Index(['petId', 'id'])
@Index(['status', 'id'])
@Index(['status', 'expiresAt'])
export class OrderRow extends OrderColumns {}

@Entity('order_search')
@Index(['placedAt', 'id'])
@Index(['status', 'id'])
@Index(['petId', 'id'])
@Index(['placedBy', 'id'])
@Index(['placedBy', 'placedAt', 'id'])
@Index(['placedBy', 'status', 'id'])
export class OrderSearchRow extends OrderColumns {}

@Entity('order_daily_counts')
export class OrderDailyCount extends DailyCount {}
