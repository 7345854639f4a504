import { ApplicationError } from '#libs/observability';

const UNCHANGED = 'The database cannot be used at the moment; try again shortly.';
const UNKNOWN =
  'The database went away while a change was being stored, and it is not known whether it was. ' +
  'Look before you send it again; with the Idempotency-Key that it was sent with it is never stored twice.';

/**
 * The database cannot do the work now: locked for too long, full, unreachable or damaged. Nothing was changed, unless the outcome is
 * unknown: the answer to a commit was lost.
 */
export class DatabaseUnavailableError extends ApplicationError {
  override readonly name = 'DatabaseUnavailableError';

  constructor(
    cause: unknown,
    readonly outcome: 'unchanged' | 'unknown' = 'unchanged',
  ) {
    super('service_unavailable', outcome === 'unchanged' ? UNCHANGED : UNKNOWN, { headers: { 'retry-after': '1' }, cause });
  }
}
