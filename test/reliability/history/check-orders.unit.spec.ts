import { checkOrders } from './check-orders.js';
import type { FinalState, Outcome, StoredEvent } from './history.js';
import { mutationsOf } from './mutations.js';
import { orderBodyOf, type FinalOrders, type MoveAttempt, type OrderAttempt, type OrderHistory, type Ordering } from './order-history.js';

const TIMES = { placedAt: '2026-01-01T00:00:00.000Z', expiresAt: '2026-01-02T00:00:00.000Z' };
const FIRST: Ordering = { petId: '7', note: 'the first', idempotencyKey: 'key of the first' };
const SECOND: Ordering = { petId: '7', note: 'the second', idempotencyKey: 'key of the second' };
const REFUSED: Ordering = { petId: '7', note: 'the refused', idempotencyKey: 'key of the refused' };

const answered = (status: number, text: string, replayed = false) => ({ kind: 'answered', status, text, replayed }) as const;
const TIMES_OF_A_REQUEST = { begun: 0, ended: 1 };
const placing = (ordering: Ordering, outcome: Outcome): OrderAttempt => ({ ordering, outcome, ...TIMES_OF_A_REQUEST });
const moving = (orderId: string, move: MoveAttempt['move'], outcome: Outcome): MoveAttempt => ({
  orderId,
  move,
  outcome,
  ...TIMES_OF_A_REQUEST,
});
const error = (code: string) => answered(409, `{"code":"${code}"}`);
const UNKNOWN = { kind: 'unknown', reason: 'ECONNRESET' } as const;

type Fact = readonly [stream: string, type: string, data: object];

const placed = (id: number, { petId, note }: Ordering): Fact => [`order-${id}`, 'order-placed', { petId, placedBy: '1', note, ...TIMES }];
const moved = (id: number, type: string): Fact => [`order-${id}`, type, {}];
const set = (petId: number, status: string, orderId: number): Fact => [
  `pet-${petId}`,
  'pet-status-set',
  { status, orderId: String(orderId) },
];

/** Two orders for one animal, of which the first was cancelled and the second delivered. */
const RIGHT_LOG: readonly Fact[] = [
  placed(1, FIRST),
  set(7, 'pending', 1),
  moved(1, 'order-approved'),
  moved(1, 'order-cancelled'),
  set(7, 'available', 1),
  placed(2, SECOND),
  set(7, 'pending', 2),
  moved(2, 'order-approved'),
  moved(2, 'order-delivered'),
  set(7, 'sold', 2),
];

const told = (id: number, { petId, note }: Ordering, status: string, version: number) =>
  orderBodyOf({ id: String(id), petId, note, status, version: BigInt(version), ...TIMES });

const RIGHT_ORDERS: readonly OrderAttempt[] = [
  placing(FIRST, UNKNOWN),
  placing(FIRST, answered(201, told(1, FIRST, 'placed', 1), true)),
  placing(REFUSED, error('idempotency_key_in_progress')),
  placing(REFUSED, error('pet_not_available')),
  placing(SECOND, answered(201, told(2, SECOND, 'placed', 1))),
  placing(SECOND, answered(201, told(2, SECOND, 'placed', 1), true)),
];
const RIGHT_MOVES: readonly MoveAttempt[] = [
  moving('1', 'approve', answered(200, told(1, FIRST, 'approved', 2))),
  moving('1', 'cancel', UNKNOWN),
  moving('2', 'deliver', error('order_not_approved')),
  moving('2', 'deliver', answered(200, told(2, SECOND, 'delivered', 3))),
];
const RIGHT_ROWS = [told(1, FIRST, 'cancelled', 3), told(2, SECOND, 'delivered', 3)];
const RIGHT_KEYS = [
  { key: FIRST.idempotencyKey, firstPosition: 1n, lastPosition: 2n },
  { key: SECOND.idempotencyKey, firstPosition: 6n, lastPosition: 7n },
];

interface Case extends Partial<FinalOrders>, Partial<Pick<FinalState, 'keys'>>, Partial<Omit<OrderHistory, 'adds'>> {
  readonly log?: readonly Fact[];
}

function check({ log = RIGHT_LOG, orders = RIGHT_ORDERS, moves = RIGHT_MOVES, keys = RIGHT_KEYS, ...found }: Case): string[] {
  const state: FinalState = { events: eventsOf(log), keys, rows: [], listed: [], problems: [] };
  return checkOrders({ adds: [], orders, moves }, state, { rows: RIGHT_ROWS, listed: RIGHT_ROWS, ...found });
}

function eventsOf(log: readonly Fact[]): StoredEvent[] {
  const versions = new Map<string, bigint>();
  return log.map(([stream, type, data], index) => {
    const version = (versions.get(stream) ?? 0n) + 1n;
    versions.set(stream, version);
    return { position: BigInt(index + 1), stream, version, type, data: JSON.stringify(data) };
  });
}

const withAnswer = (ordering: Ordering, outcome: Outcome) => ({ orders: [...RIGHT_ORDERS, placing(ordering, outcome)] });
const withMove = (move: MoveAttempt) => ({ moves: [...RIGHT_MOVES, move] });

describe('the checker of orders', () => {
  it('finds nothing in a history that is right', () => {
    expect(check({})).toEqual([]);
  });

  it('takes only all or nothing of an order whose outcome is unknown', () => {
    const unknown = { orders: [placing(FIRST, UNKNOWN)], moves: [] };
    const key = RIGHT_KEYS.slice(0, 1);
    const row = [told(1, FIRST, 'placed', 1)];
    const whole = { log: RIGHT_LOG.slice(0, 2), keys: key, rows: row, listed: row };
    const nothing = { log: [], keys: [], rows: [], listed: [] };
    expect(check({ ...unknown, ...whole })).toEqual([]);
    expect(check({ ...unknown, ...nothing })).toEqual([]);
    expect(check({ ...unknown, ...whole, keys: [] })).toEqual(['the first is in the log and its key is not stored']);
    expect(check({ ...unknown, ...nothing, keys: key })).toEqual(['the key of the first is stored and the order is not in the log']);
  });

  const mutations: readonly (readonly [string, Case])[] = [
    ...mutationsOf('the log', RIGHT_LOG, ([stream, , data]): Fact => [stream, 'order-expired', data]).map(
      ([what, log]) => [what, { log }] as const,
    ),
    ...RIGHT_KEYS.map((key, index) => [`the keys without ${key.key}`, { keys: RIGHT_KEYS.toSpliced(index, 1) }] as const),
    ...RIGHT_KEYS.map(
      (key, index) => [`${key.key} for less`, { keys: RIGHT_KEYS.with(index, { ...key, lastPosition: key.firstPosition }) }] as const,
    ),
    ...mutationsOf('the table', RIGHT_ROWS, () => told(2, SECOND, 'approved', 2)).map(([what, rows]) => [what, { rows }] as const),
    ...mutationsOf('the list', RIGHT_ROWS).map(([what, listed]) => [what, { listed }] as const),
    ['the list in another order', { listed: RIGHT_ROWS.toReversed() }],
    ['a reservation for another order', { log: RIGHT_LOG.with(6, set(7, 'pending', 1)) }],
    ['a reservation of another animal', { log: RIGHT_LOG.with(6, set(8, 'pending', 2)) }],
    ['a reservation that something stands before', { log: RIGHT_LOG.toSpliced(6, 0, ['pet-8', 'pet-added', {}]) }],
    ['a delivery that makes the animal available', { log: RIGHT_LOG.with(9, set(7, 'available', 2)) }],
    ['an order that goes on after its end', { log: [...RIGHT_LOG, moved(2, 'order-cancelled'), set(7, 'available', 2)] }],
    ['an order that nobody placed', { log: [...RIGHT_LOG, placed(3, { ...SECOND, note: 'the third' }), set(7, 'pending', 3)] }],
    ['an order that was refused', { log: [...RIGHT_LOG, placed(3, REFUSED), set(7, 'pending', 3)] }],
    ['an order that was told in other bytes', withAnswer(SECOND, answered(201, told(2, SECOND, 'approved', 2), true))],
    ['an order of another that was told', withAnswer(REFUSED, answered(201, told(2, SECOND, 'placed', 1)))],
    ['a repetition that gave another order', withAnswer(SECOND, answered(201, told(3, SECOND, 'placed', 1), true))],
    ['a repetition that was taken for the first', withAnswer(SECOND, answered(201, told(2, SECOND, 'placed', 1)))],
    ['an order whose answer may not be', withAnswer(REFUSED, answered(404, '{}'))],
    ['a refusal that is not one of a move', withMove(moving('2', 'cancel', error('order_not_placed')))],
    ['a move that is not in the log', withMove(moving('2', 'cancel', answered(200, told(2, SECOND, 'cancelled', 4))))],
    ['a move that went elsewhere', withMove(moving('2', 'deliver', answered(200, told(2, SECOND, 'approved', 2))))],
  ];
  it.each(mutations)('finds that something is wrong with %s', (_, wrong) => {
    expect(check(wrong)).not.toEqual([]);
  });

  it.each<[string, Case]>([
    ['order-placed of order 2 at position 6 is not followed by animal 7 becoming pending', { log: RIGHT_LOG.toSpliced(6, 1) }],
    ['pet-7 becomes pending for order 2 at position 6, where that has no event', { log: RIGHT_LOG.toSpliced(5, 1) }],
    ['animal 7 has the open orders 1, 2 at position 4', { log: RIGHT_LOG.toSpliced(3, 2) }],
    ['the second was acknowledged as', { log: RIGHT_LOG.slice(0, 5) }],
    ['the second is in the log 2 times: ids 2, 3', { log: [...RIGHT_LOG, placed(3, SECOND), set(7, 'pending', 3)] }],
  ])('finds that %s', (sentence, wrong) => {
    expect(check(wrong).join('\n')).toContain(sentence);
  });
});
