import { insertRows, isOneOf, raw, sql } from '#libs/database';
import { listEventTypes, type RecordedEvent, type Projection, type ProjectionTarget } from '#libs/event-sourcing';
import { orderDecider, type OrderState } from '../domain/order.decider.js';
import { orderEvents, type OrderEvent } from '../domain/order.events.js';
import { type OrderSnapshot, type OrderStatus, parseOrderId } from '../domain/order.js';

/** Columns in the order of `toColumnValues`. Times are in milliseconds since 1970. */
export const ORDER_COLUMNS = ['id', 'pet_id', 'status', 'note', 'placed_at', 'expires_at', 'placed_by', 'version'] as const;

type Integer = bigint | string;

export interface OrderRow {
  readonly id: Integer;
  readonly pet_id: Integer;
  readonly status: OrderStatus;
  readonly note: string | null;
  readonly placed_at: Integer;
  readonly expires_at: Integer;
  readonly placed_by: Integer;
  readonly version: Integer;
}

function toColumnValues({ id, petId, status, note, placedAt, expiresAt, placedBy, version }: OrderSnapshot) {
  return [id, petId, status, note ?? null, placedAt.getTime(), expiresAt.getTime(), placedBy, version];
}

export function fromOrderRow(row: OrderRow): OrderSnapshot {
  return {
    id: BigInt(row.id),
    petId: BigInt(row.pet_id),
    status: row.status,
    ...(row.note !== null && { note: row.note }),
    placedAt: new Date(Number(row.placed_at)),
    expiresAt: new Date(Number(row.expires_at)),
    placedBy: BigInt(row.placed_by),
    version: Number(row.version),
  };
}

const REPLACE_ROW = raw('ON CONFLICT (id) DO UPDATE SET status = excluded.status, version = excluded.version');

export const ORDERS = 'orders';

/** All orders, one row each. */
export const ordersProjection: Projection<OrderEvent> = {
  name: 'orders',
  version: 1,
  eventTypes: listEventTypes(orderEvents),
  tables: [
    {
      name: ORDERS,
      columns: {
        id: { type: 'int64' },
        pet_id: { type: 'int64' },
        status: { type: 'text' },
        note: { type: 'text', nullable: true },
        placed_at: { type: 'int64' },
        expires_at: { type: 'int64' },
        placed_by: { type: 'int64' },
        version: { type: 'int64' },
      },
      primaryKey: ['id'],
      indexes: [
        ['placed_by', 'id'],
        ['pet_id', 'id'],
        ['status', 'id'],
        ['status', 'expires_at'],
      ],
    },
  ],
  project,
};

interface ProjectedOrder {
  readonly state: OrderState;
  readonly version: number;
}

async function project(events: readonly RecordedEvent<OrderEvent>[], target: ProjectionTarget): Promise<void> {
  const orders = await readEarlierOrders(events, target);
  for (const event of events) {
    const id = parseOrderId(event.stream);
    const { state } = orders.get(id) ?? { state: orderDecider.initialState };
    orders.set(id, { state: orderDecider.evolve(state, event), version: event.version });
  }
  const rows = [...orders].flatMap(([id, { state, version }]) =>
    state.kind === 'none' ? [] : [toColumnValues({ id, version, ...state })],
  );
  await insertRows(target, { table: target.table(ORDERS), columns: ORDER_COLUMNS, rows, suffix: REPLACE_ROW });
}

/** Reads the orders of this batch that an earlier one placed. */
async function readEarlierOrders(events: readonly RecordedEvent[], target: ProjectionTarget): Promise<Map<bigint, ProjectedOrder>> {
  const ids = [...new Set(events.filter(({ version }) => version > 1).map(({ stream }) => parseOrderId(stream)))];
  if (ids.length === 0) return new Map();
  const rows = await target.query<OrderRow>(
    sql`SELECT ${raw(ORDER_COLUMNS.join(', '))} FROM ${target.table(ORDERS)} WHERE id ${isOneOf(ids)}`,
  );
  return new Map(rows.map(fromOrderRow).map(({ id, version, ...details }) => [id, { state: { kind: 'present', ...details }, version }]));
}
