import { ApplicationError, errorCodes } from '#libs/observability';

/** The codes that are told to clients beside those of the error table. */
export const blankFormErrors = errorCodes({
  blank_form_already_added: { status: 409, description: 'This blank form was added before.' },
});

/** There is none with this id. */
export class BlankFormNotFoundError extends ApplicationError {
  override readonly name = 'BlankFormNotFoundError';

  constructor(id: bigint) {
    super('not_found', `There is no blank form with the id ${id}.`);
  }
}

/** A stream that has a history cannot begin again. */
export class BlankFormAlreadyAddedError extends ApplicationError {
  override readonly name = 'BlankFormAlreadyAddedError';

  constructor() {
    super(blankFormErrors.blank_form_already_added, 'This blank form was added before; a new one gets a new id.');
  }
}
