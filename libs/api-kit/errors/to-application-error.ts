import { HttpException } from '@nestjs/common';
import { translateDatabaseError } from '#libs/database';
import { ApplicationError, type ErrorCode } from '#libs/errors';

/** What the frameworks refuse on their own. Their messages may hold the URL, so they get ours. */
const refusals: Readonly<Record<number, readonly [ErrorCode, string]>> = {
  401: ['unauthorized', 'Missing or invalid API key.'],
  403: ['insufficient_scope', 'This API key may not do this.'],
  404: ['not_found', 'There is nothing at this path.'],
  405: ['method_not_allowed', 'The method is not allowed here.'],
  406: ['not_acceptable', 'The answer has no form that the Accept header allows.'],
  408: ['request_timeout', 'The request did not arrive in time.'],
  413: ['payload_too_large', 'The body is too large.'],
  414: ['uri_too_long', 'The request target is too long.'],
  415: ['unsupported_media_type', 'The body must be sent with Content-Type: application/json.'],
  417: ['expectation_failed', 'The expectation cannot be met.'],
  429: ['rate_limited', 'Too many requests.'],
  431: ['headers_too_large', 'The head of the request is too large.'],
};

/** The error a client is told for whatever was thrown: a refusal of the framework as its code, all that is unknown as `internal_error`. */
export function toApplicationError(thrown: unknown): ApplicationError {
  // First: a client that breaks off its upload leaves an error like that of a lost connection to the database, but with a status.
  const status = clientErrorStatus(thrown);
  if (status !== undefined) {
    const [code, message] = refusals[status] ?? ['invalid_request', 'The request is not valid.'];
    return new ApplicationError(code, message, { cause: thrown });
  }
  const known = translateDatabaseError(thrown);
  if (known instanceof ApplicationError) return known;
  return new ApplicationError('internal_error', 'The service failed; the log has the reason.', { cause: thrown });
}

/** Nest's exceptions tell their status by a method, Fastify's errors by a property. */
function clientErrorStatus(thrown: unknown): number | undefined {
  if (!(thrown instanceof Error)) return undefined;
  const status: unknown = thrown instanceof HttpException ? thrown.getStatus() : 'statusCode' in thrown && thrown.statusCode;
  return typeof status === 'number' && status >= 400 && status < 500 ? status : undefined;
}
