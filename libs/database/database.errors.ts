import { QueryFailedError } from 'typeorm';
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

/** How the message of an error begins with which a moved database refuses a write. */
export const MOVED = 'the database was moved';

/** SQLite: the file or its lock cannot be used. */
const FILE_UNAVAILABLE = /^SQLITE_(?:BUSY|LOCKED|FULL|IOERR|READONLY|CORRUPT|NOTADB|CANTOPEN|NOMEM)/;
/**
 * The server is not there, is going down, is full, gives no lock or no answer in time, was not answered in time itself, cannot write or
 * is damaged: SQLSTATE classes of PostgreSQL's appendix A, and codes of Node for connections.
 */
const SERVER_UNAVAILABLE =
  /^(?:08|25006|25P03|40001|40P01|53|55P03|57014|57P0|58|XX00[12]|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)/;
/** Messages of pg, without a code, for a connection that ended. */
const CONNECTION_ENDED =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed)/;

/** Returns the driver's error that TypeORM has wrapped, or that made the database unavailable. */
function findCause(error: unknown): unknown {
  if (error instanceof QueryFailedError) return error.driverError;
  return error instanceof DatabaseUnavailableError ? error.cause : error;
}

/**
 * Returns the code of a database's error, also of a wrapped one: SQLite's, such as `SQLITE_BUSY`, an SQLSTATE, or a name such as
 * `ECONNREFUSED` that Node gave. Not by the class of the error: those of Node may come from another realm.
 */
export function readFailure(error: unknown): { readonly code: string | undefined; readonly message: string } {
  const cause = findCause(error);
  if (typeof cause !== 'object' || cause === null) return { code: undefined, message: String(cause) };
  const code: unknown = Reflect.get(cause, 'code');
  return { code: typeof code === 'string' ? code : undefined, message: String(Reflect.get(cause, 'message')) };
}

/** Turns an error of the database, or of the way to it, into DatabaseUnavailableError; returns others as they are. */
export function translateDatabaseError(error: unknown): unknown {
  if (error instanceof DatabaseUnavailableError) return error;
  const { code, message } = readFailure(error);
  const isUnavailable =
    code === undefined
      ? CONNECTION_ENDED.test(message)
      : FILE_UNAVAILABLE.test(code) || SERVER_UNAVAILABLE.test(code) || message.startsWith(MOVED);
  return isUnavailable ? new DatabaseUnavailableError(findCause(error)) : error;
}
