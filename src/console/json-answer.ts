import type { ManagementAnswer } from '#libs/operations';

/** An answer whose body is JSON already, or is made of a value. */
export function json(status: number, body: string | object): ManagementAnswer {
  return { status, contentType: 'application/json; charset=utf-8', body: typeof body === 'string' ? body : JSON.stringify(body) };
}
