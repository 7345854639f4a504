import { QueryFailedError } from 'typeorm';
import { DatabaseUnavailableError } from '../database.errors.js';

/**
 * The server is not there, is going down, is full, gives no lock or no answer in time, was not answered in time itself, cannot write or
 * is damaged: SQLSTATE
 * classes of PostgreSQL's appendix A, and what Node says of a connection.
 */
const UNAVAILABLE =
  /^(?:08|25006|25P03|40001|40P01|53|55P03|57014|57P0|58|XX00[12]|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)/;
/** What pg says, without a code, of a connection that ended. */
const CONNECTION_ENDED =
  /^(?:Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed)/;

/** The error as the service knows it: what is wrong with the server or the way to it becomes DatabaseUnavailableError. */
export function translatePostgresError(error: unknown): unknown {
  const cause: unknown = error instanceof QueryFailedError ? error.driverError : error;
  if (cause instanceof DatabaseUnavailableError) return cause;
  // An SQLSTATE, or a name such as `ECONNREFUSED` that Node gave.
  const code = textOf(cause, 'code');
  const isUnavailable = code === undefined ? CONNECTION_ENDED.test(textOf(cause, 'message') ?? '') : UNAVAILABLE.test(code);
  return isUnavailable ? new DatabaseUnavailableError(cause) : error;
}

/** Not by the class of the error: those that Node itself makes may come from another realm. */
function textOf(error: unknown, member: 'code' | 'message'): string | undefined {
  const value: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, member) : undefined;
  return typeof value === 'string' ? value : undefined;
}
