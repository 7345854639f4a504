import type { orderErrors } from './order.errors.js';
import type { OrderEvent } from './order.events.js';
import type { OrderStatus } from './order.js';

/** A change of an order after it was placed. */
interface Transition {
  readonly from: readonly OrderStatus[];
  readonly to: OrderStatus;
  /** The event that records it. */
  readonly event: OrderEvent['type'];
  /** What happens to the animal: `hold` keeps it reserved without an end, `hand-over` sells it, `release` makes it available. */
  readonly animal: 'hold' | 'hand-over' | 'release';
  /** Who may ask for it: `store`, a key with `orders:all`; `owner`, also the key that placed the order; `time`, nobody: it follows from its expiry. */
  readonly by: 'store' | 'owner' | 'time';
  /** The error from any other status. Default: nothing happens. */
  readonly refusal?: keyof typeof orderErrors;
}

const transitions = {
  approve: { from: ['placed'], to: 'approved', event: 'order-approved', animal: 'hold', by: 'store', refusal: 'order_not_placed' },
  deliver: {
    from: ['approved'],
    to: 'delivered',
    event: 'order-delivered',
    animal: 'hand-over',
    by: 'store',
    refusal: 'order_not_approved',
  },
  cancel: {
    from: ['placed', 'approved'],
    to: 'cancelled',
    event: 'order-cancelled',
    animal: 'release',
    by: 'owner',
    refusal: 'order_not_open',
  },
  expire: { from: ['placed'], to: 'expired', event: 'order-expired', animal: 'release', by: 'time' },
} satisfies Readonly<Record<string, Transition>>;

export type OrderTransition = keyof typeof transitions;

/** All changes of an order after it was placed, by the names of their commands. */
export const orderTransitions: Readonly<Record<OrderTransition, Transition>> = transitions;
