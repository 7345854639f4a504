import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { columnTypes } from '#libs/database';
import { DailyCount } from '#libs/event-sourcing';
import { OrderFields } from '../domain/order.js';

/** An order. */
@Entity('orders')
@Index(['placedAt', 'id'])
@Index(['status', 'id'])
@Index(['status', 'expiresAt'])
@Index(['petId', 'id'])
@Index(['placedBy', 'id'])
@Index(['placedBy', 'placedAt', 'id'])
@Index(['placedBy', 'status', 'id'])
export class OrderRow extends OrderFields {
  @PrimaryColumn(columnTypes.int64) readonly id!: bigint;
  @Column(columnTypes.integer) readonly version!: number;
}

/** The changes of the numbers of orders by status. */
@Entity('order_daily_counts')
export class OrderDailyCount extends DailyCount {}
