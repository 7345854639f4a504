import { checkOrders } from './check-orders.js';
import type { FinalState, Outcome, StoredEvent } from './history.js';
import { orderBodyOf, type FinalOrders, type MoveAttempt, type OrderAttempt, type OrderHistory, type Ordering } from './order-history.js';

const TIMES = { placedAt: '2026-01-01T00:00:00.000Z', expiresAt: '2026-01-02T00:00:00.000Z' };
const FIRST: Ordering = { petId: '7', note: 'the first', idempotencyKey: 'key of the first' };
const SECOND: Ordering = { petId: '7', note: 'the second', idempotencyKey: 'key of the second' };
const REFUSED: Ordering = { petId: '7', note: 'the refused', idempotencyKey: 'key of the refused' };

const answered = (status: number, text: string, replayed = false) => ({ kind: 'answered', status, text, replayed }) as const;
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
  { ordering: FIRST, outcome: UNKNOWN },
  { ordering: FIRST, outcome: answered(201, told(1, FIRST, 'placed', 1), true) },
  { ordering: REFUSED, outcome: error('idempotency_key_in_progress') },
  { ordering: REFUSED, outcome: error('pet_not_available') },
  { ordering: SECOND, outcome: answered(201, told(2, SECOND, 'placed', 1)) },
  { ordering: SECOND, outcome: answered(201, told(2, SECOND, 'placed', 1), true) },
];
const RIGHT_MOVES: readonly MoveAttempt[] = [
  { orderId: '1', move: 'approve', outcome: answered(200, told(1, FIRST, 'approved', 2)) },
  { orderId: '1', move: 'cancel', outcome: UNKNOWN },
  { orderId: '2', move: 'deliver', outcome: error('order_not_approved') },
  { orderId: '2', move: 'deliver', outcome: answered(200, told(2, SECOND, 'delivered', 3)) },
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

const without = (index: number, count = 1) => RIGHT_LOG.toSpliced(index, count);
const withAnswer = (ordering: Ordering, outcome: Outcome) => ({ orders: [...RIGHT_ORDERS, { ordering, outcome }] });
const withMove = (move: MoveAttempt) => ({ moves: [...RIGHT_MOVES, move] });

describe('the checker of orders', () => {
  it('finds nothing in a history that is right', () => {
    expect(check({})).toEqual([]);
  });

  it('takes only all or nothing of an order whose outcome is unknown', () => {
    const unknown = { orders: [{ ordering: FIRST, outcome: UNKNOWN }], moves: [] };
    const key = RIGHT_KEYS.slice(0, 1);
    const row = [told(1, FIRST, 'placed', 1)];
    const whole = { log: RIGHT_LOG.slice(0, 2), keys: key, rows: row, listed: row };
    const nothing = { log: [], keys: [], rows: [], listed: [] };
    expect(check({ ...unknown, ...whole })).toEqual([]);
    expect(check({ ...unknown, ...nothing })).toEqual([]);
    expect(check({ ...unknown, ...whole, keys: [] })).toEqual(['the first is in the log and its key is not stored']);
    expect(check({ ...unknown, ...nothing, keys: key })).toEqual(['the key of the first is stored and the order is not in the log']);
  });

  it.each<[string, Case, string]>([
    [
      'an order without its reservation',
      { log: without(6) },
      'order-placed of order 2 at position 6 is not followed by animal 7 becoming pending',
    ],
    ['a reservation without its order', { log: without(5) }, 'pet-7 becomes pending for order 2 at position 6, where that has no event'],
    [
      'a reservation that something stands before',
      { log: [...RIGHT_LOG.slice(0, 6), ['pet-8', 'pet-added', {}], ...RIGHT_LOG.slice(6)] },
      'order-placed of order 2 at position 6 is not followed',
    ],
    [
      'a reservation for another order',
      { log: RIGHT_LOG.toSpliced(6, 1, set(7, 'pending', 1)) },
      'order-placed of order 2 at position 6 is not followed',
    ],
    [
      'a reservation of another animal',
      { log: RIGHT_LOG.toSpliced(6, 1, set(8, 'pending', 2)) },
      'order-placed of order 2 at position 6 is not followed',
    ],
    [
      'an end that leaves the animal reserved',
      { log: without(4) },
      'order-cancelled of order 1 at position 4 is not followed by animal 7 becoming available',
    ],
    [
      'an animal that is set free while its order is open',
      { log: without(3) },
      'pet-7 becomes available for order 1 at position 4, where that has no event',
    ],
    [
      'a delivery that makes the animal available',
      { log: RIGHT_LOG.toSpliced(9, 1, set(7, 'available', 2)) },
      'order-delivered of order 2 at position 9 is not followed by animal 7 becoming sold',
    ],
    ['two open orders for one animal', { log: without(3, 2) }, 'animal 7 has the open orders 1, 2 at position 4'],
    ['a delivery of what is not approved', { log: without(7) }, 'order-delivered at position 8 follows on order 2 that is placed'],
    [
      'an expiry of what is approved',
      { log: RIGHT_LOG.toSpliced(3, 1, moved(1, 'order-expired')) },
      'order-expired at position 4 follows on order 1 that is approved',
    ],
    [
      'an order that goes on after its end',
      { log: [...RIGHT_LOG, moved(2, 'order-cancelled'), set(7, 'available', 2)] },
      'order-cancelled at position 11 follows on order 2 that is delivered',
    ],
    [
      'an order that begins with another event',
      { log: [...RIGHT_LOG, moved(3, 'order-approved')] },
      'order-approved at position 11 follows on order 3 that is not there',
    ],
    ['an acknowledged order that is lost', { log: RIGHT_LOG.slice(0, 5) }, 'the second was acknowledged as'],
    [
      'an order that was told in other bytes',
      withAnswer(SECOND, answered(201, told(2, SECOND, 'approved', 2), true)),
      'and is in the log as',
    ],
    [
      'an order of another that was told',
      withAnswer(REFUSED, answered(201, told(2, SECOND, 'placed', 1))),
      'the refused for animal 7 was acknowledged as',
    ],
    [
      'an order that is there twice',
      { log: [...RIGHT_LOG, placed(3, SECOND), set(7, 'pending', 3)] },
      'the second is in the log 2 times: ids 2, 3',
    ],
    [
      'an order that nobody placed',
      { log: [...RIGHT_LOG, placed(3, { ...SECOND, note: 'the third' }), set(7, 'pending', 3)] },
      'the third is in the log and nobody placed it',
    ],
    [
      'an order that was refused',
      { log: [...RIGHT_LOG, placed(3, REFUSED), set(7, 'pending', 3)] },
      'the refused was refused with 409 and is in the log',
    ],
    [
      'a repetition that gave another order',
      withAnswer(SECOND, answered(201, told(3, SECOND, 'placed', 1), true)),
      'the second was acknowledged as {"id":2,',
    ],
    [
      'a repetition that was taken for the first',
      withAnswer(SECOND, answered(201, told(2, SECOND, 'placed', 1))),
      'the second was acknowledged a second time as if it had been the first',
    ],
    [
      'a key that stands for the order alone',
      { keys: RIGHT_KEYS.with(1, { key: SECOND.idempotencyKey, firstPosition: 6n, lastPosition: 6n }) },
      'the key of the second stands for events 6 to 6 and not for those of event 6',
    ],
    ['an order whose answer may not be', withAnswer(REFUSED, answered(404, '{}')), 'placing the refused was answered with 404'],
    [
      'a refusal that is not one of a move',
      withMove({ orderId: '2', move: 'cancel', outcome: error('order_not_placed') }),
      'to cancel order 2 was answered with 409',
    ],
    [
      'a move that was acknowledged and is not in the log',
      withMove({ orderId: '2', move: 'cancel', outcome: answered(200, told(2, SECOND, 'cancelled', 4)) }),
      'and the log has no such order',
    ],
    [
      'a move that went elsewhere',
      withMove({ orderId: '2', move: 'deliver', outcome: answered(200, told(2, SECOND, 'approved', 2)) }),
      'to deliver order 2 was answered with {"id":2,',
    ],
    ['a table that lacks an order', { rows: RIGHT_ROWS.slice(0, 1) }, 'the table of orders has nothing where the log has {"id":2,'],
    [
      'a table with an order as it was',
      { rows: RIGHT_ROWS.with(1, told(2, SECOND, 'approved', 2)) },
      'the table of orders has {"id":2,"petId":7,"quantity":1,"status":"approved"',
    ],
    ['a list in another order', { listed: RIGHT_ROWS.toReversed() }, 'the list of orders has {"id":2,'],
  ])('finds %s', (_, wrong, sentence) => {
    expect(check(wrong).join('\n')).toContain(sentence);
  });
});
