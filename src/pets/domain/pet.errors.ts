import { ApplicationError } from '#libs/errors';

/** There is no animal with this id, or it was withdrawn. */
export class PetNotFoundError extends ApplicationError {
  override readonly name = 'PetNotFoundError';

  constructor(id: bigint) {
    super('not_found', `There is no animal with the id ${id}.`);
  }
}

/** A stream that has a history cannot begin again. */
export class PetAlreadyAddedError extends ApplicationError {
  override readonly name = 'PetAlreadyAddedError';

  constructor() {
    super('invalid_request', 'This animal was added before; a new animal gets a new id.');
  }
}
