import { describeLocation, type DatabaseLocation } from '#libs/database';
import { ApplicationError } from '#libs/errors';

/**
 * Does something with a database so that a failure names it.
 * @throws ApplicationError `service_unavailable` when the database cannot be opened.
 */
export async function namingDatabase<Result>(location: DatabaseLocation, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApplicationError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new ApplicationError('service_unavailable', `The database ${describeLocation(location)} cannot be opened: ${reason}.`, {
      cause: error,
    });
  }
}
