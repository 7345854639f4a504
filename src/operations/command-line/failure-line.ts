import { printableLine, ApplicationError } from '#libs/observability';
import { DatabaseUnavailableError, describeLocation, type DatabaseLocation } from '#libs/database';
import { ConfigurationError } from '../../config/index.js';

/** Describes an error in one line for standard error. */
export function toErrorLine(error: unknown): string {
  return printableLine(failureText(error));
}

/** Makes an error of opening a database name it: `service_unavailable`, unless it is an ApplicationError already. */
export function toOpeningError(location: DatabaseLocation, error: unknown): ApplicationError {
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

/** Tells an operator why the database cannot be used; a client of the service is not told. */
function withCause({ message, cause }: DatabaseUnavailableError): string {
  return cause instanceof Error ? `${message} (${cause.message})` : message;
}
