import { ApplicationError, errorCodes, NotFoundError } from '#libs/observability';
import type { OrderStatus } from './order.js';

/** Error codes of this module. */
export const orderErrors = errorCodes({
  order_not_placed: {
    status: 409,
    description: 'Only an order that is placed can be approved.',
    remedy: 'Read the order: it was approved, cancelled or has expired. Place a new order if the animal is still wanted.',
  },
  order_not_approved: {
    status: 409,
    description: 'Only an order that is approved can be delivered.',
    remedy: 'Approve the order first if it is placed. An order that is delivered, cancelled or expired stays as it is.',
  },
  order_not_open: {
    status: 409,
    description: 'Only an order that is placed or approved can be cancelled.',
    remedy: 'Read the order: it is delivered, cancelled or expired already, and there is nothing left to cancel.',
  },
});

/** The order does not exist, or the caller may not see it. */
export class OrderNotFoundError extends NotFoundError {
  override readonly name = 'OrderNotFoundError';

  constructor(id: bigint) {
    super('order', id);
  }
}

/** The order's status does not allow the transition. */
export class OrderTransitionError extends ApplicationError {
  override readonly name = 'OrderTransitionError';

  /** @param allowed the possible next statuses */
  constructor(id: bigint, code: keyof typeof orderErrors, status: OrderStatus, allowed: readonly OrderStatus[]) {
    const further = allowed.length === 0 ? 'which is final' : `from which it may become ${allowed.join(', ')}`;
    super(orderErrors[code], `${orderErrors[code].description.slice(0, -1)}; the order ${id} is ${status}, ${further}.`);
  }
}
