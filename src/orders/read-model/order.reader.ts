import { Injectable } from '@nestjs/common';
import { Database, join, sql, type SqlFragment } from '#libs/database';
import { ReadModels, RowReader, type Page, type PageRange } from '#libs/event-sourcing';
import { OPEN_STATUSES, type OrderSnapshot, type OrderStatus } from '../domain/order.js';
import { ordersProjection } from './orders.projection.js';

/** A page of the orders that have all given values. */
export interface OrderRange extends PageRange {
  readonly status?: OrderStatus;
  readonly petId?: bigint;
  /** The number of the API key. */
  readonly placedBy?: bigint;
  /** Only placed orders that expire before this moment, overdue ones included. */
  readonly expiringBefore?: Date;
}

/** Reads orders as of the last acknowledged change. */
@Injectable()
export class OrderReader extends RowReader<OrderSnapshot> {
  constructor(database: Database, readModels: ReadModels) {
    super(ordersProjection, database, readModels);
  }

  list({ expiringBefore, ...range }: OrderRange): Promise<Page<OrderSnapshot>> {
    return this.page(range, expiringBefore ? [expiresBy(expiringBefore)] : []);
  }

  /** Finds overdue orders that have not expired yet, longest overdue first. */
  async overdue(now: Date, limit: number): Promise<bigint[]> {
    return (await this.rows(sql`WHERE ${expiresBy(now)} ORDER BY "expires_at", "id" LIMIT ${limit}`)).map(({ id }) => id);
  }

  /** Returns the earliest expiry of a placed order; undefined if there is none. */
  async earliestExpiry(): Promise<Date | undefined> {
    const [first] = await this.rows(sql`WHERE "status" = ${'placed'} ORDER BY "expires_at" LIMIT 1`);
    return first?.expiresAt;
  }

  /** Counts orders that reserve an animal, overdue ones included. */
  async countOpen(): Promise<number> {
    const open = sql`SELECT count(*) AS "total" FROM ${this.table} WHERE "status" IN (${join(OPEN_STATUSES)})`;
    const [found] = await this.query<{ total: bigint | string }>(open);
    return Number(found?.total ?? 0);
  }
}

function expiresBy(moment: Date): SqlFragment {
  return sql`"status" = ${'placed'} AND "expires_at" <= ${moment.getTime()}`;
}
