import { Injectable } from '@nestjs/common';
import { Database, isOneOf, join, sql, type SqlFragment, whereAll } from '#libs/database';
import { CountReader, EventStore, ListReader, ReadModels, type PageRange } from '#libs/event-sourcing';
import { OPEN_STATUSES, type OrderSnapshot } from '../domain/order.js';
import { orderDailyCounts, orderFilters, ordersProjection } from './orders.projection.js';

/** Reads orders as of the last acknowledged change. */
@Injectable()
export class OrderReader extends ListReader<OrderSnapshot, typeof orderFilters> {
  /** Counts by `status`. */
  readonly counts: CountReader<OrderSnapshot>;

  constructor(database: Database, readModels: ReadModels, eventStore: EventStore) {
    super(ordersProjection, orderFilters, database, readModels);
    this.counts = new CountReader({ projection: ordersProjection, counts: orderDailyCounts, database, readModels, eventStore });
  }

  /** Returns at most `limit` orders for each animal; without those that were placed after `placedUntil`. */
  ofPets(petIds: readonly bigint[], range: PageRange, placedUntil: Date | undefined): Promise<OrderSnapshot[]> {
    return this.firstOfEach('petId', petIds, range, isPlacedUntil(placedUntil));
  }

  /** Counts the orders for each animal; without those that were placed after `placedUntil`. */
  async countOfPets(petIds: readonly bigint[], placedUntil: Date | undefined): Promise<ReadonlyMap<bigint, number>> {
    const where = whereAll([sql`"pet_id" ${isOneOf(petIds)}`, ...isPlacedUntil(placedUntil)]);
    const rows = await this.query<{ id: bigint | string; total: bigint | string }>(
      sql`SELECT "pet_id" AS "id", count(*) AS "total" FROM ${this.table} ${where} GROUP BY "pet_id"`,
    );
    return new Map(rows.map(({ id, total }) => [BigInt(id), Number(total)]));
  }

  /** Finds overdue orders that have not expired yet, longest overdue first. */
  async overdue(now: Date, limit: number): Promise<bigint[]> {
    const isOverdue = sql`"status" = ${'placed'} AND "expires_at" <= ${now.getTime()}`;
    return (await this.rows(sql`WHERE ${isOverdue} ORDER BY "expires_at", "id" LIMIT ${limit}`)).map(({ id }) => id);
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

function isPlacedUntil(moment: Date | undefined): SqlFragment[] {
  return moment ? [sql`"placed_at" <= ${moment.getTime()}`] : [];
}
