import { idIn, type FinalState, type Outcome, type StoredKey } from './history.js';
import { LoggedOrders } from './logged-orders.js';
import type { FinalOrders, MoveAttempt, OrderAttempt, OrderHistory } from './order-history.js';

const MOST_NAMED = 20;

/** What a refusal says that is for good. */
const REFUSALS: Readonly<Record<'order' | MoveAttempt['move'], string>> = {
  order: 'pet_not_available',
  approve: 'order_not_placed',
  deliver: 'order_not_approved',
  cancel: 'order_not_open',
};
const TO_BE_REPEATED = ['idempotency_key_in_progress', 'conflict'];

/**
 * Compares what clients saw of orders with what is there.
 * @returns one sentence for each thing that must not be; of those of a kind at most twenty.
 */
export function checkOrders({ orders, moves }: OrderHistory, { events, keys }: FinalState, found: FinalOrders): string[] {
  const logged = new LoggedOrders(events);
  const checks = [
    logged.violations,
    checkPlaced(orders, logged),
    checkRepetitions(orders),
    checkMoved(moves, logged),
    checkSingleness(orders, logged),
    checkRefused(orders, logged),
    checkKeys(orders, logged, keys),
    checkStatuses(orders, moves),
    checkTold(found, logged),
  ];
  return checks.flatMap((violations) => [...violations].slice(0, MOST_NAMED));
}

/** Whether an answer says that the request may be sent again, to be answered for good. */
export function isToBeRepeated(outcome: Outcome): boolean {
  return outcome.kind === 'unknown' || (outcome.status === 409 && TO_BE_REPEATED.includes(codeOf(outcome.text)));
}

/** Every acknowledged order is in the log, for the animal that was asked for, and was told in the bytes of its first event. */
function* checkPlaced(orders: readonly OrderAttempt[], logged: LoggedOrders): Generator<string> {
  for (const { ordering, text } of acknowledged(orders)) {
    const order = logged.byId.get(idIn(text) ?? '?');
    if (!order) yield `${ordering.note} was acknowledged as ${text} and is not in the log`;
    else if (order.bodies[0] !== text) yield `${ordering.note} was acknowledged as ${text} and is in the log as ${order.bodies[0]}`;
    else if (order.note !== ordering.note || order.petId !== ordering.petId) {
      yield `${ordering.note} for animal ${ordering.petId} was acknowledged as ${text}`;
    }
  }
}

/** However often it is repeated, it is the same order; and only the first acknowledgement may be no replay. */
function* checkRepetitions(orders: readonly OrderAttempt[]): Generator<string> {
  const first = new Map<string, string>();
  for (const { ordering, text, replayed } of acknowledged(orders)) {
    const before = first.get(ordering.idempotencyKey);
    if (before !== undefined && before !== text) yield `${ordering.note} was acknowledged as ${before} and then as ${text}`;
    if (before !== undefined && !replayed) yield `${ordering.note} was acknowledged a second time as if it had been the first`;
    first.set(ordering.idempotencyKey, before ?? text);
  }
}

/** What a client was told of an order that it moved is what the log had then, and where it wanted it. */
function* checkMoved(moves: readonly MoveAttempt[], logged: LoggedOrders): Generator<string> {
  const targets = { approve: 'approved', deliver: 'delivered', cancel: 'cancelled' };
  for (const { orderId, move, outcome } of moves) {
    if (outcome.kind === 'unknown' || outcome.status !== 200) continue;
    const isThere = logged.byId.get(orderId)?.bodies.includes(outcome.text) ?? false;
    if (!isThere) yield `to ${move} order ${orderId} was answered with ${outcome.text}, and the log has no such order`;
    if (!outcome.text.includes(`"status":"${targets[move]}"`)) yield `to ${move} order ${orderId} was answered with ${outcome.text}`;
  }
}

/** However often it was sent, no order is there twice, and none that nobody placed. */
function* checkSingleness(orders: readonly OrderAttempt[], logged: LoggedOrders): Generator<string> {
  const sent = new Set(orders.map(({ ordering }) => ordering.note));
  for (const [note, placed] of logged.byNote) {
    if (!sent.has(note)) yield `${note} is in the log and nobody placed it`;
    if (placed.length > 1) yield `${note} is in the log ${placed.length} times: ids ${placed.map(({ id }) => id).join(', ')}`;
  }
}

/** What was refused left nothing behind. */
function* checkRefused(orders: readonly OrderAttempt[], logged: LoggedOrders): Generator<string> {
  for (const { ordering, outcome } of orders) {
    if (isToBeRepeated(outcome) || outcome.kind === 'unknown' || outcome.status < 400) continue;
    if (logged.byNote.has(ordering.note)) yield `${ordering.note} was refused with ${outcome.status} and is in the log`;
  }
}

/** An order is there with the key that it was sent with, which stands for it and its reservation, or neither is. */
function* checkKeys(orders: readonly OrderAttempt[], logged: LoggedOrders, keys: readonly StoredKey[]): Generator<string> {
  const stored = new Map(keys.map((key) => [key.key, key]));
  for (const { note, idempotencyKey } of new Set(orders.map(({ ordering }) => ordering))) {
    const order = logged.byNote.get(note)?.[0];
    const key = stored.get(idempotencyKey);
    if (order && !key) yield `${note} is in the log and its key is not stored`;
    else if (key && !order) yield `the key of ${note} is stored and the order is not in the log`;
    else if (key && order && (key.firstPosition > order.position || key.lastPosition !== order.position + 1n)) {
      yield `the key of ${note} stands for events ${key.firstPosition} to ${key.lastPosition} and not for those of event ${order.position}`;
    }
  }
}

/** Nothing was answered but what such a request may get. */
function* checkStatuses(orders: readonly OrderAttempt[], moves: readonly MoveAttempt[]): Generator<string> {
  const requests = [
    ...orders.map(({ ordering, outcome }) => ({ what: `placing ${ordering.note}`, outcome, right: 201, refusal: REFUSALS.order })),
    ...moves.map(({ orderId, move, outcome }) => ({ what: `to ${move} order ${orderId}`, outcome, right: 200, refusal: REFUSALS[move] })),
  ];
  for (const { what, outcome, right, refusal } of requests) {
    if (isToBeRepeated(outcome) || outcome.kind === 'unknown' || outcome.status === right) continue;
    if (outcome.status !== 409 || codeOf(outcome.text) !== refusal) yield `${what} was answered with ${outcome.status}: ${outcome.text}`;
  }
}

/** The list that a client walks by cursor, the table below it and the log show the same orders, in the same order. */
function* checkTold({ rows, listed }: FinalOrders, { byId }: LoggedOrders): Generator<string> {
  const bodies = [...byId.values()].map(({ bodies: told }) => told.at(-1) ?? '');
  yield* differences('the table of orders', rows, 'the log', bodies);
  yield* differences('the list of orders', listed, 'the table', rows);
}

function* differences(left: string, leftBodies: readonly string[], right: string, rightBodies: readonly string[]): Generator<string> {
  for (let index = 0; index < Math.max(leftBodies.length, rightBodies.length); index += 1) {
    const [here, there] = [leftBodies[index], rightBodies[index]];
    if (here !== there) yield `${left} has ${here ?? 'nothing'} where ${right} has ${there ?? 'nothing'}`;
  }
}

function acknowledged(orders: readonly OrderAttempt[]) {
  return orders.flatMap(({ ordering, outcome }) =>
    outcome.kind === 'answered' && outcome.status === 201 ? [{ ordering, text: outcome.text, replayed: outcome.replayed }] : [],
  );
}

function codeOf(text: string): string {
  return /"code":"(\w+)"/.exec(text)?.[1] ?? '';
}
