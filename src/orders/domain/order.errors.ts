import { ApplicationError, errorCodes } from '#libs/errors';
import type { OrderStatus } from './order.js';

/** The codes that are told to clients beside those of the error table. */
export const orderErrors = errorCodes({
  order_not_placed: { status: 409, description: 'Only an order that is placed can be approved.' },
  order_not_approved: { status: 409, description: 'Only an order that is approved can be delivered.' },
  order_not_open: { status: 409, description: 'Only an order that is placed or approved can be cancelled.' },
});

/** There is no order with this id, or it is not for the caller to see. */
export class OrderNotFoundError extends ApplicationError {
  override readonly name = 'OrderNotFoundError';

  constructor(id: bigint) {
    super('not_found', `There is no order with the id ${id}.`);
  }
}

/** The order is in a state from which it cannot go where it should. */
export class OrderTransitionError extends ApplicationError {
  override readonly name = 'OrderTransitionError';

  /** @param allowed where it may go from there */
  constructor(id: bigint, code: keyof typeof orderErrors, status: OrderStatus, allowed: readonly OrderStatus[]) {
    const further = allowed.length === 0 ? 'which is final' : `from where it may become ${allowed.join(', ')}`;
    super(orderErrors[code], `${orderErrors[code].description.slice(0, -1)}; the order ${id} is ${status}, ${further}.`);
  }
}
