import { DatabaseUnavailableError } from '#libs/database';
import { ApplicationError, type ManagementAnswer } from '#libs/observability';

export function json(status: number, body: object): ManagementAnswer {
  return { status, contentType: 'application/json; charset=utf-8', body: JSON.stringify(body) };
}

/** Responds with what `read` returns, or with the status and the message of its error. */
export async function jsonOrError(read: () => Promise<object>): Promise<ManagementAnswer> {
  try {
    return json(200, await read());
  } catch (error) {
    if (!(error instanceof ApplicationError)) throw error;
    const message = error instanceof DatabaseUnavailableError ? 'The database does not answer.' : error.message;
    return json(error.status, { message });
  }
}
