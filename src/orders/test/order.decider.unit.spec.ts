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

const expire = (now: Date): OrderCommand => ({ kind: 'expire', id: 1n, now });

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

  it.each<[keyof typeof pasts, OrderEvent | undefined]>([
    ['placed', expired],
    ['approved', undefined],
    ['delivered', undefined],
    ['cancelled', undefined],
    ['expired', undefined],
  ])('expires at the end of its reservation, and never before, only if it is placed: %s gives %j', (status, outcome) => {
    given(orderDecider, ...pasts[status])
      .when(expire(at(99)))
      .then();
    given(orderDecider, ...pasts[status])
      .when(expire(at(100)))
      .then(...(outcome ? [outcome] : []));
  });

  it('counts as expired from the end of its reservation', () => {
    for (const [kind, code] of [
      ['approve', 'order_not_placed'],
      ['cancel', 'order_not_open'],
    ] as const) {
      given(orderDecider, placed)
        .when({ kind, id: 1n, now: at(100), reason: 'found' })
        .thenRefused(code);
    }
  });

  it('that was never placed is not found', () => {
    given(orderDecider)
      .when(expire(at(100)))
      .thenRefused('not_found');
  });

  it('passes over what a newer build has written', () => {
    fc.assert(
      fc.property(withNewerEvents([placed, approved]), (events) => {
        expect(foldOrder(1n, events)).toMatchObject({ status: 'approved', petId: 17n, placedBy: 7n, expiresAt: at(100) });
      }),
    );
  });
});
