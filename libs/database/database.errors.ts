import { ApplicationError } from '#libs/errors';

/** The database cannot do the work now: locked for too long, full, unreachable or damaged. Nothing was changed. */
export class DatabaseUnavailableError extends ApplicationError {
  override readonly name = 'DatabaseUnavailableError';

  constructor(cause: unknown) {
    super('service_unavailable', 'The database cannot be used at the moment; try again shortly.', {
      headers: { 'retry-after': '1' },
      cause,
    });
  }
}
