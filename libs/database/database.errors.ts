import { ApplicationError, cliCommand } from '#libs/observability';
import { describeLocation, type DatabaseLocation } from './database-url.js';

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

/** The content of the database was transferred to another one: what is written here would be missing there. */
export class MovedDatabaseError extends ApplicationError {
  override readonly name = 'MovedDatabaseError';

  constructor(location: DatabaseLocation, place: string) {
    super(
      'service_unavailable',
      `The database ${describeLocation(location)} was moved to ${place} by "${cliCommand('db transfer')}": set DATABASE_URL to that one.`,
    );
  }
}

/** A newer build has migrated the database: this one cannot know what that means for it, and must not work on it. */
export class NewerDatabaseError extends ApplicationError {
  override readonly name = 'NewerDatabaseError';

  constructor(location: DatabaseLocation, { unknownMigrations }: { readonly unknownMigrations: readonly string[] }) {
    super(
      'service_unavailable',
      `The database ${describeLocation(location)} was migrated by a newer build: this one does not know ${unknownMigrations.join(', ')}. ` +
        'Run the newer build.',
    );
  }
}
