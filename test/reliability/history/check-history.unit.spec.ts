import { checkHistory } from './check-history.js';
import { bodyOf, orderBodyOf, type Addition, type Attempt, type FinalState, type History, type MoveAttempt } from './history.js';
import type { Ordering, Outcome, StoredEvent, Told } from './history.js';

const REX: Addition = { name: 'Rex', categoryId: '9223372036854775807', status: 'available', idempotencyKey: 'key of Rex', valid: true };
const TOM: Addition = { name: 'Tom', categoryId: '1', idempotencyKey: 'key of Tom', valid: true };
const TIM: Addition = { ...TOM, name: 'Tim', valid: false };
const EVE: Addition = { name: 'Eve', categoryId: '1', valid: true };
const FIRST: Ordering = { petId: '1', name: 'the first', idempotencyKey: 'key of the first', valid: true };
const SECOND: Ordering = { petId: '1', name: 'the second', idempotencyKey: 'key of the second', valid: true };
const REFUSED: Ordering = { petId: '1', name: 'the refused', idempotencyKey: 'key of the refused', valid: true };
const APPROVED_TIMES = { placedAt: '2026-01-01T00:00:00.000Z' };
const TIMES = { ...APPROVED_TIMES, expiresAt: '2026-01-02T00:00:00.000Z' };
const UNKNOWN: Outcome = { kind: 'unknown', reason: 'ECONNRESET' };

const answered = (status: number, text: string, replayed = false): Outcome => ({ kind: 'answered', status, text, replayed });
const error = (code: string) => answered(409, `{"code":"${code}"}`);
const attempt = <Sent extends Addition | Ordering>(sent: Sent, outcome: Outcome, begun = 0): Attempt<Sent> => ({
  ...{ sent, begun, ended: begun + 1, outcome },
});
const moving = (orderId: string, move: MoveAttempt['move'], outcome: Outcome): MoveAttempt => ({
  ...{ orderId, move, begun: 0, ended: 1, outcome },
});

type Fact = readonly [stream: string, type: string, data: object];
const added = (id: number, { name, categoryId, status }: Addition): Fact => [`pet-${id}`, 'pet-added', { name, categoryId, status }];
const placed = (id: number, { petId, name }: Ordering): Fact => [`order-${id}`, 'order-placed', { petId, note: name, ...TIMES }];
const moved = (id: number, type: string): Fact => [`order-${id}`, type, {}];
const set = (petId: number, status: string, orderId: number): Fact => [
  ...([`pet-${petId}`, 'pet-status-set', { status, orderId: String(orderId) }] as const),
];

/** Two animals, and two orders for the first, of which one was cancelled and the other delivered. */
const LOG: readonly Fact[] = [
  ...[added(1, REX), added(2, TOM)],
  ...[placed(1, FIRST), set(1, 'pending', 1), moved(1, 'order-approved'), moved(1, 'order-cancelled'), set(1, 'available', 1)],
  ...[placed(2, SECOND), set(1, 'pending', 2), moved(2, 'order-approved'), moved(2, 'order-delivered'), set(1, 'sold', 2)],
];
const told = (id: number, { petId, name }: Ordering, status: string, version: number) =>
  orderBodyOf({ id: String(id), petId, note: name, status, version: BigInt(version), ...(status === 'placed' ? TIMES : APPROVED_TIMES) });
const PETS = [bodyOf('1', { ...REX, status: 'sold' }), bodyOf('2', TOM)];
const ORDERS = [told(1, FIRST, 'cancelled', 3), told(2, SECOND, 'delivered', 3)];
const keyOf = (name: string, firstPosition: bigint, lastPosition: bigint) => ({ key: `key of ${name}`, firstPosition, lastPosition });
const KEYS = [keyOf('Rex', 1n, 1n), keyOf('Tom', 2n, 2n), keyOf('the first', 3n, 4n), keyOf('the second', 8n, 9n)];
const HISTORY: Required<History> = {
  adds: [
    attempt(REX, UNKNOWN),
    attempt(REX, answered(201, bodyOf('1', REX), true), 1),
    attempt(TOM, answered(201, bodyOf('2', TOM)), 3),
    attempt(TOM, answered(201, bodyOf('2', TOM), true), 5),
    attempt(TIM, answered(422, '{}'), 7),
  ],
  reads: [{ id: '1', expected: bodyOf('1', REX), outcome: answered(200, bodyOf('1', REX)) }],
  orders: [
    attempt(FIRST, UNKNOWN),
    attempt(FIRST, answered(201, told(1, FIRST, 'placed', 1), true)),
    attempt(REFUSED, error('idempotency_key_in_progress')),
    attempt(REFUSED, error('pet_not_available')),
    attempt(SECOND, answered(201, told(2, SECOND, 'placed', 1))),
    attempt(SECOND, answered(201, told(2, SECOND, 'placed', 1), true)),
  ],
  moves: [
    moving('1', 'approve', answered(200, told(1, FIRST, 'approved', 2))),
    moving('1', 'cancel', UNKNOWN),
    moving('2', 'deliver', error('order_not_approved')),
    moving('2', 'deliver', answered(200, told(2, SECOND, 'delivered', 3))),
  ],
};

function eventsOf(log: readonly Fact[]): StoredEvent[] {
  const versions = new Map<string, bigint>();
  return log.map(([stream, type, data], index) => {
    const version = (versions.get(stream) ?? 0n) + 1n;
    versions.set(stream, version);
    return { position: BigInt(index + 1), stream, version, type, data: JSON.stringify(data) };
  });
}

const all = (bodies: readonly string[]): Told => ({ rows: bodies, listed: bodies });
const STATE: FinalState = { events: eventsOf(LOG), keys: KEYS, pets: all(PETS), orders: all(ORDERS), problems: [] };
const NOTHING: FinalState = { events: [], keys: [], pets: all([]), orders: all([]), problems: [] };

const events = (...log: readonly Fact[]): Partial<FinalState> => ({ events: eventsOf(log) });
const asTom = (outcome: Outcome): Partial<History> => ({ adds: [...HISTORY.adds, attempt(TOM, outcome, 9)] });
const as = (ordering: Ordering, outcome: Outcome): Partial<History> => ({ orders: [...HISTORY.orders, attempt(ordering, outcome)] });
const withMove = (...move: Parameters<typeof moving>): Partial<History> => ({ moves: [...HISTORY.moves, moving(...move)] });

/** Every list that differs from a right one in one item, which is lost, doubled or changed. */
function mutationsOf<Item>(right: readonly Item[], change: (item: Item) => Item): (readonly Item[])[] {
  return right.flatMap((item, index) => [right.toSpliced(index, 1), right.toSpliced(index, 0, item), right.with(index, change(item))]);
}

describe('the checker of histories', () => {
  const check = (history: Partial<History>, state: Partial<FinalState>) => checkHistory({ ...HISTORY, ...history }, { ...STATE, ...state });

  it('finds nothing in a history that is right, with whatever became of what has an unknown outcome', () => {
    expect(check({}, {})).toEqual([]);
    const unknown: History = { adds: [attempt(REX, UNKNOWN), attempt(TOM, UNKNOWN)], orders: [attempt(FIRST, UNKNOWN)] };
    const both = { events: eventsOf(LOG.slice(0, 4)), keys: KEYS.slice(0, 3), orders: all([told(1, FIRST, 'placed', 1)]), problems: [] };
    const whole: FinalState = { ...both, pets: all([bodyOf('1', { ...REX, status: 'pending' }), bodyOf('2', TOM)]) };
    for (const state of [NOTHING, whole]) expect(checkHistory(unknown, state)).toEqual([]);
  });

  const change = (body: string) => body.replace('"id":', '$&9');
  it.each<[string, readonly Partial<FinalState>[]]>([
    ['an event', mutationsOf(STATE.events, (event) => ({ ...event, type: 'order-expired' })).map((one) => ({ events: one }))],
    ['a version', mutationsOf(STATE.events, (event) => ({ ...event, version: 9n })).map((one) => ({ events: one }))],
    ['a key', KEYS.map((_, index) => ({ keys: KEYS.toSpliced(index, 1) }))],
    ['the events of a key', KEYS.map((key, index) => ({ keys: KEYS.with(index, { ...key, lastPosition: 12n }) }))],
    ['the table of animals', mutationsOf(PETS, change).map((rows) => ({ pets: { rows, listed: PETS } }))],
    ['the list of animals', [...mutationsOf(PETS, change), PETS.toReversed()].map((listed) => ({ pets: { rows: PETS, listed } }))],
    ['the table of orders', mutationsOf(ORDERS, change).map((rows) => ({ orders: { rows, listed: ORDERS } }))],
    ['the list of orders', [...mutationsOf(ORDERS, change), ORDERS.toReversed()].map((listed) => ({ orders: { rows: ORDERS, listed } }))],
  ])('finds each mistake in %s', (_, states) => {
    for (const state of states) expect(check({}, state)).not.toEqual([]);
  });

  it.each<[string, Partial<History>, Partial<FinalState>]>([
    ['Tom was acknowledged with id 2 and is not in the log', {}, events(added(1, REX))],
    ['Tom is in the log 2 times: ids 2, 3', {}, events(...LOG, added(3, TOM))],
    ['Eve is in the log and nobody sent it', {}, events(...LOG, added(3, EVE))],
    ['Tim is in the log and must not be taken', {}, events(...LOG, added(3, TIM))],
    ['Tim was refused with 422 and is in the log', {}, events(...LOG, added(3, TIM))],
    ['Eve was answered with 500', { adds: [...HISTORY.adds, attempt(EVE, answered(500, '{}'))] }, {}],
    ['the key of Tom is stored and it is not in the log', {}, events(added(1, REX))],
    ['Tom was acknowledged as {"id":2,"name":"Tom","categoryId":1} and then as', asTom(answered(201, bodyOf('3', TOM), true)), {}],
    ['a second time as if it had been the first', asTom(answered(201, bodyOf('2', TOM))), {}],
    ['reading 1 after its acknowledgement gave 404 {}', { reads: [{ id: '1', expected: '', outcome: answered(404, '{}') }] }, {}],
    ['reading 1 after its acknowledgement gave 200 {}', { reads: [{ id: '1', expected: '', outcome: answered(200, '{}') }] }, {}],
    [
      'Rex was begun after Tom was acknowledged and stands before it in the log',
      { adds: [attempt(TOM, answered(201, bodyOf('2', TOM))), attempt(REX, answered(201, bodyOf('1', REX)), 5)] },
      {},
    ],
    ['events verify: projection pets', {}, { problems: ['projection pets'] }],
    ['order-placed of order 2 at position 8 is not followed by animal 1 becoming pending', {}, events(...LOG.toSpliced(8, 1))],
    ['order-placed of order 2 at position 8 is not followed by', {}, events(...LOG.with(8, set(1, 'pending', 1)))],
    ['order-placed of order 2 at position 8 is not followed by', {}, events(...LOG.with(8, set(2, 'pending', 2)))],
    ['order-placed of order 2 at position 8 is not followed by', {}, events(...LOG.toSpliced(8, 0, added(3, EVE)))],
    ['order-delivered of order 2 at position 11 is not followed by', {}, events(...LOG.with(11, set(1, 'available', 2)))],
    ['pet-1 becomes pending for order 2 at position 8, where that has no event', {}, events(...LOG.toSpliced(7, 1))],
    ['animal 1 has the open orders 1, 2 at position 6', {}, events(...LOG.toSpliced(5, 2))],
    ['order-cancelled at position 13 follows on order 2 that is delivered', {}, events(...LOG, moved(2, 'order-cancelled'))],
    ['the third is in the log and nobody sent it', {}, events(...LOG, placed(3, { ...SECOND, name: 'the third' }))],
    ['the second is in the log 2 times: ids 2, 3', {}, events(...LOG, placed(3, SECOND))],
    ['the refused was refused with 409 and is in the log', {}, events(...LOG, placed(3, REFUSED))],
    ['the second was acknowledged as', as(SECOND, answered(201, told(2, SECOND, 'approved', 2), true)), {}],
    ['the refused was acknowledged with id 2', as(REFUSED, answered(201, told(2, SECOND, 'placed', 1))), {}],
    ['the second was acknowledged as', as({ ...SECOND, petId: '2' }, answered(201, told(2, SECOND, 'placed', 1), true)), {}],
    ['the refused was answered with 404', as(REFUSED, answered(404, '{}')), {}],
    ['to cancel order 2 was answered with 409', withMove('2', 'cancel', error('order_not_placed')), {}],
    ['to cancel order 2 was answered with 200', withMove('2', 'cancel', answered(200, told(2, SECOND, 'cancelled', 4))), {}],
    ['to deliver order 2 was answered with 200', withMove('2', 'deliver', answered(200, told(2, SECOND, 'approved', 2))), {}],
  ])('finds that %s', (sentence, history, state) => {
    expect(check(history, state).join('\n')).toContain(sentence);
  });
});
