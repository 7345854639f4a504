import { ApplicationError, errorCodes, NotFoundError } from '#libs/observability';
import type { PetStatus } from './pet.js';

/** Error codes of this module. */
export const petErrors = errorCodes({
  pet_not_available: {
    status: 409,
    description: 'This animal cannot be ordered, since it is not available.',
    remedy: 'Order another animal, or ask again when `GET /v1/pets?status=available` lists this one.',
  },
  pet_has_open_order: {
    status: 409,
    description: 'The status of this animal follows from its open order.',
    remedy: 'Cancel or deliver the order that the message names, or wait until it expires; then send the request again.',
  },
});

/** The animal does not exist or was withdrawn. */
export class PetNotFoundError extends NotFoundError {
  override readonly name = 'PetNotFoundError';

  constructor(id: bigint) {
    super('animal', id);
  }
}

export class PetAlreadyAddedError extends ApplicationError {
  override readonly name = 'PetAlreadyAddedError';

  constructor() {
    super('invalid_request', 'This animal was added before; a new animal gets a new id.');
  }
}

/** Only an animal that is available can be reserved. */
export class PetNotAvailableError extends ApplicationError {
  override readonly name = 'PetNotAvailableError';

  constructor(id: bigint, status: PetStatus | undefined) {
    super(
      petErrors.pet_not_available,
      `The animal ${id} ${status === undefined ? 'has no status' : `is ${status}`}; only one that is available can be ordered.`,
    );
  }
}

/** An order ends the reservation only of the animal that it reserves. */
export class PetNotReservedError extends ApplicationError {
  override readonly name = 'PetNotReservedError';

  constructor(id: bigint, orderId: bigint) {
    super('conflict', `The order ${orderId} does not reserve the animal ${id}, so its status does not follow from that order.`);
  }
}

/** The status of a reserved animal cannot be set. */
export class PetHasOpenOrderError extends ApplicationError {
  override readonly name = 'PetHasOpenOrderError';

  constructor(id: bigint, orderId: bigint) {
    super(
      petErrors.pet_has_open_order,
      `The animal ${id} is reserved by the order ${orderId}, from which its status follows; deliver or cancel that order.`,
    );
  }
}
