import { Injectable } from '@nestjs/common';
import { Database, identifier, isOneOf, join, raw, sql, type SqlFragment } from '#libs/database';
import { ReadModels, projectionTableName, type PageRange } from '#libs/event-sourcing';
import { OPEN_STATUSES, type OrderSnapshot, type OrderStatus } from '../domain/order.js';
import { ORDER_COLUMNS, fromOrderRow, type OrderRow, ORDERS, ordersProjection } from './orders.projection.js';

/** Matches orders that have all given values. */
interface OrderFilter {
  readonly status?: OrderStatus;
  readonly petId?: bigint;
  /** The number of the API key. */
  readonly placedBy?: bigint;
  /** Only placed orders that expire before this moment, overdue ones included. */
  readonly expiringBefore?: Date;
}

export interface OrderRange extends PageRange, OrderFilter {}

const table = identifier(projectionTableName(ordersProjection, ORDERS));
const columns = raw(ORDER_COLUMNS.map((column) => `"${column}"`).join(', '));

/** Reads orders as of the last acknowledged change. */
@Injectable()
export class OrderReader {
  constructor(
    private readonly database: Database,
    private readonly readModels: ReadModels,
  ) {}

  async page({ limit, after, ...filter }: OrderRange): Promise<OrderSnapshot[]> {
    const conditions = [...toConditions(filter), ...(after === undefined ? [] : [sql`"id" > ${after}`])];
    return this.read(sql`WHERE ${join([sql`1 = 1`, ...conditions], ' AND ')} ORDER BY "id" LIMIT ${limit}`);
  }

  async find(id: bigint): Promise<OrderSnapshot | undefined> {
    const [found] = await this.read(sql`WHERE "id" = ${id}`);
    return found;
  }

  /** Reads at most `limit` orders for each animal, ascending by id, with one statement. */
  async pagesOfPets(petIds: readonly bigint[], { limit, after }: PageRange): Promise<OrderSnapshot[]> {
    const conditions = [sql`"pet_id" ${isOneOf(petIds)}`, ...(after === undefined ? [] : [sql`"id" > ${after}`])];
    await this.readModels.current(ordersProjection);
    const rows = await this.database.reader.query<OrderRow>(
      sql`SELECT ${columns} FROM (
            SELECT ${columns}, row_number() OVER (PARTITION BY "pet_id" ORDER BY "id") AS "place" FROM ${table}
            WHERE ${join(conditions, ' AND ')}
          ) AS "ranked" WHERE "place" <= ${limit} ORDER BY "id"`,
    );
    return rows.map(fromOrderRow);
  }

  /** Finds overdue orders that have not expired yet, longest overdue first. */
  async overdue(now: Date, limit: number): Promise<bigint[]> {
    await this.readModels.current(ordersProjection);
    const rows = await this.database.reader.query<Pick<OrderRow, 'id'>>(
      sql`SELECT "id" FROM ${table} WHERE "status" = ${'placed'} AND "expires_at" <= ${now.getTime()} ORDER BY "expires_at", "id" LIMIT ${limit}`,
    );
    return rows.map(({ id }) => BigInt(id));
  }

  /** Returns the earliest expiry of a placed order; undefined if there is none. */
  async earliestExpiry(): Promise<Date | undefined> {
    await this.readModels.current(ordersProjection);
    const [first] = await this.database.reader.query<Pick<OrderRow, 'expires_at'>>(
      sql`SELECT "expires_at" FROM ${table} WHERE "status" = ${'placed'} ORDER BY "expires_at" LIMIT 1`,
    );
    return first && new Date(Number(first.expires_at));
  }

  /** Counts orders that reserve an animal, overdue ones included. */
  async countOpen(): Promise<number> {
    await this.readModels.current(ordersProjection);
    const [found] = await this.database.reader.query<{ total: bigint | string }>(
      sql`SELECT count(*) AS "total" FROM ${table} WHERE "status" IN (${join(OPEN_STATUSES)})`,
    );
    return Number(found?.total ?? 0);
  }

  private async read(condition: SqlFragment): Promise<OrderSnapshot[]> {
    await this.readModels.current(ordersProjection);
    const rows = await this.database.reader.query<OrderRow>(sql`SELECT ${columns} FROM ${table} ${condition}`);
    return rows.map(fromOrderRow);
  }
}

function toConditions({ status, petId, placedBy, expiringBefore }: OrderFilter): SqlFragment[] {
  return [
    ...(status === undefined ? [] : [sql`"status" = ${status}`]),
    ...(petId === undefined ? [] : [sql`"pet_id" = ${petId}`]),
    ...(placedBy === undefined ? [] : [sql`"placed_by" = ${placedBy}`]),
    ...(expiringBefore === undefined ? [] : [sql`"status" = ${'placed'} AND "expires_at" <= ${expiringBefore.getTime()}`]),
  ];
}
