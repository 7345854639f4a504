import { ORDERS_TABLE } from '../../e2e/read-model-tables.fixture.js';
import type { SystemUnderTest } from '../system/system-under-test.fixture.js';
import { queryDatabase, walkList } from './final-state.fixture.js';
import { orderBodyOf, type FinalOrders } from './order-history.js';

type Integer = bigint | string;

interface OrderRow {
  readonly id: Integer;
  readonly pet_id: Integer;
  readonly status: string;
  readonly note: string | null;
  readonly placed_at: Integer;
  readonly expires_at: Integer;
  readonly version: Integer;
}

/** Looks at the orders that are there, past the service and through it, which has to run. Nothing may be written meanwhile. */
export async function finalOrdersOf(system: Pick<SystemUnderTest, 'databaseUrl' | 'origin' | 'key'>): Promise<FinalOrders> {
  return { rows: await orderRowsOf(system.databaseUrl), listed: await walkList(system, '/v1/store/orders') };
}

/** The rows of the orders' table as the bodies that a client should get. */
export async function orderRowsOf(databaseUrl: string): Promise<string[]> {
  const rows = await queryDatabase<OrderRow>(databaseUrl, `SELECT * FROM "${ORDERS_TABLE}" ORDER BY "id"`);
  return rows.map(bodyOfRow);
}

function bodyOfRow({ id, pet_id: petId, status, note, placed_at: placedAt, expires_at: expiresAt, version }: OrderRow): string {
  return orderBodyOf({
    id: String(id),
    petId: String(petId),
    status,
    placedAt: momentOf(placedAt),
    expiresAt: momentOf(expiresAt),
    version: BigInt(version),
    ...(note !== null && { note }),
  });
}

function momentOf(milliseconds: Integer): string {
  return new Date(Number(milliseconds)).toISOString();
}
