import { printableLine } from '#libs/cli-kit';
import { DatabaseUnavailableError, describeLocation, type DatabaseLocation } from '#libs/database';
import { ApplicationError } from '#libs/errors';
import { ConfigurationError } from '../../config/index.js';

/** What went wrong, as the one line that standard error gets. */
export function failureLine(error: unknown): string {
  return printableLine(failureText(error));
}

/** What a database failed with when it was opened, as an error that names it: `service_unavailable`, or the ApplicationError it was. */
export function openingFailure(location: DatabaseLocation, error: unknown): ApplicationError {
  if (error instanceof ApplicationError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new ApplicationError('service_unavailable', `The database ${describeLocation(location)} cannot be opened: ${reason}.`, {
    cause: error,
  });
}

function failureText(error: unknown): string {
  if (error instanceof ConfigurationError) return `The configuration is not right: ${error.problems.join('; ')}.`;
  if (error instanceof DatabaseUnavailableError) return withCause(error);
  if (error instanceof ApplicationError) return error.message;
  return `This did not work: ${error instanceof Error ? error.message : String(error)}`;
}

/** An operator is told why the database cannot be used; a client of the service is not. */
function withCause({ message, cause }: DatabaseUnavailableError): string {
  return cause instanceof Error ? `${message} (${cause.message})` : message;
}
