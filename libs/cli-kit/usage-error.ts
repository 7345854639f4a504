import { ApplicationError } from '#libs/errors';

/** Arguments that do not go together: a mistake in how a command is used, which ends it with exit code 2. */
export class UsageError extends ApplicationError {
  constructor(message: string) {
    super('invalid_parameter', message);
  }
}
