import fc from 'fast-check';
import { given, withNewerEvents } from '#libs/testing';
import { orderDecider, type OrderCommand, foldOrder } from '../domain/order.decider.js';
import type { OrderEvent, OrderPlaced } from '../domain/order.events.js';

const at = (milliseconds: number) => new Date(Date.UTC(2026, 0, 1) + milliseconds);

const placed: OrderPlaced = {
  type: 'order-placed',
  data: { petId: '17', placedBy: '7', note: 'On Saturday.', placedAt: at(0).toISOString(), expiresAt: at(100).toISOString() },
};
const approved: OrderEvent = { type: 'order-approved', data: {} };
const delivered: OrderEvent = { type: 'order-delivered', data: {} };
const cancelled: OrderEvent = { type: 'order-cancelled', data: { reason: 'found' } };
const expired: OrderEvent = { type: 'order-expired', data: {} };

type Move = Exclude<OrderCommand['kind'], 'place'>;
const move = (kind: Move, now = at(99)): OrderCommand => ({ kind, id: 1n, now, reason: 'found' });

describe('an order', () => {
  it('is placed for as long as the reservation', () => {
    given(orderDecider)
      .when({ kind: 'place', petId: 17n, placedBy: 7n, note: 'On Saturday.', now: at(0), reservation: 100 })
      .then(placed);
  });

  const pasts = {
    placed: [placed],
    approved: [placed, approved],
    delivered: [placed, approved, delivered],
    cancelled: [placed, cancelled],
    expired: [placed, expired],
  };

  it.each<[keyof typeof pasts, Move, OrderEvent | string | undefined]>([
    ['placed', 'approve', approved],
    ['placed', 'deliver', 'order_not_approved'],
    ['placed', 'cancel', cancelled],
    ['placed', 'expire', undefined],
    ['approved', 'approve', undefined],
    ['approved', 'deliver', delivered],
    ['approved', 'cancel', cancelled],
    ['approved', 'expire', undefined],
    ['delivered', 'approve', 'order_not_placed'],
    ['delivered', 'deliver', undefined],
    ['delivered', 'cancel', 'order_not_open'],
    ['delivered', 'expire', undefined],
    ['cancelled', 'approve', 'order_not_placed'],
    ['cancelled', 'deliver', 'order_not_approved'],
    ['cancelled', 'cancel', undefined],
    ['cancelled', 'expire', undefined],
    ['expired', 'approve', 'order_not_placed'],
    ['expired', 'deliver', 'order_not_approved'],
    ['expired', 'cancel', 'order_not_open'],
    ['expired', 'expire', undefined],
  ])('that is %s: %s gives %j', (status, kind, outcome) => {
    const decision = given(orderDecider, ...pasts[status]).when(move(kind));
    if (typeof outcome === 'string') decision.thenRefused(outcome);
    else decision.then(...(outcome ? [outcome] : []));
  });

  it('counts as expired from the end of its reservation on, unless it was approved', () => {
    given(orderDecider, placed)
      .when(move('approve', at(100)))
      .thenRefused('order_not_placed');
    given(orderDecider, placed)
      .when(move('cancel', at(100)))
      .thenRefused('order_not_open');
    given(orderDecider, placed)
      .when(move('expire', at(100)))
      .then(expired);
    given(orderDecider, placed, approved)
      .when(move('expire', at(100)))
      .then();
    given(orderDecider, placed, approved)
      .when(move('deliver', at(100)))
      .then(delivered);
  });

  it('that was never placed is not found', () => {
    given(orderDecider).when(move('approve')).thenRefused('not_found');
  });

  it('says where it is and where it may go', () => {
    const refused = (past: readonly OrderEvent[], kind: Move, now?: Date) => () => {
      orderDecider.decide(
        move(kind, now),
        past.reduce((state, event) => orderDecider.evolve(state, event), orderDecider.initialState),
      );
    };
    expect(refused([placed], 'deliver')).toThrow('the order 1 is placed, from where it may become approved, cancelled, expired.');
    expect(refused([placed], 'approve', at(100))).toThrow('the order 1 is expired, which is final.');
  });

  it('passes over what a newer build has written', () => {
    fc.assert(
      fc.property(withNewerEvents([placed, approved]), (events) => {
        expect(foldOrder(1n, events)).toMatchObject({ status: 'approved', petId: 17n, placedBy: 7n, expiresAt: at(100) });
      }),
    );
  });
});
