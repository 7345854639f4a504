import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { translateDatabaseError } from '#libs/database';
import { ApplicationError, coreErrors } from '#libs/observability';
import type { ClientAddresses } from '../telemetry/request-telemetry.js';
import { OverloadedError } from '../overload/load-shedder.js';
import { getKeyId, getTraceMembers } from '../request/request-fields.js';

/** The path of the page that explains every error code, each at an anchor of its name. */
export const ERRORS_PAGE = '/docs/errors';
export const JSON_CONTENT_TYPE = 'application/json; charset=utf-8';
/** Headers of every response, unless a handler sets others. */
export const RESPONSE_HEADERS = { 'cache-control': 'private, no-cache', 'x-content-type-options': 'nosniff' } as const;

const HELP_LINK = /(?:, )?<[^>]*>; rel="help"/;
/** The statuses whose log line may name the client's address. */
const WITH_ADDRESS: readonly number[] = [401, 403, 429];

/**
 * Returns the error that the client receives. An `HttpException` of 4xx keeps its message, other errors of 4xx get the description of their
 * code, since the messages of frameworks may hold the URL; an unknown error becomes `internal_error`.
 */
export function toApplicationError(thrown: unknown): ApplicationError {
  // First: a client that breaks off its upload leaves an error like that of a lost connection to the database, but with a status.
  const status = clientErrorStatus(thrown);
  if (status !== undefined) {
    // The first of a status is the general one.
    const code = Object.values(coreErrors).find((each) => each.status === status) ?? coreErrors.invalid_request;
    return new ApplicationError(code, thrown instanceof HttpException ? findMessage(thrown) : code.description, { cause: thrown });
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

/** A pipe may give several messages. */
function findMessage(exception: HttpException): string {
  const response = exception.getResponse();
  const given = typeof response === 'object' && 'message' in response ? response.message : undefined;
  return Array.isArray(given) ? given.join('; ') : exception.message;
}

/** Responds with the error's status, headers and body, and a link to its explanation. Does nothing if a response was sent. */
export function sendError(reply: FastifyReply, error: ApplicationError): void {
  if (reply.sent) return;
  reply.request.errorCode = error.code;
  void reply.code(error.status).headers(error.headers);
  void reply.header('link', linkWithHelp(reply.getHeader('link'), error.code));
  void reply.type(JSON_CONTENT_TYPE).send(JSON.stringify(error.toBody()));
}

/**
 * Returns the `Link` (RFC 8288) of a response with an error code: the links it has, and one to the explanation of the code.
 * @param link the value so far, perhaps of another error that was not sent
 */
export function linkWithHelp(link: number | string | string[] | undefined, code: string): string {
  const others = [link ?? []].flat().join(', ').replace(HELP_LINK, '');
  return `${others === '' ? '' : `${others}, `}<${ERRORS_PAGE}#${code}>; rel="help"`;
}

/** Responds to everything that is thrown while a request is handled, and logs the service's own failures. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  /** @param addresses puts the client's address into the log lines of 401, 403 and 429; none if undefined */
  constructor(
    private readonly logger: Logger,
    private readonly addresses?: ClientAddresses,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    // GraphQL has a response body of its own for errors.
    if (host.getType() !== 'http') throw thrown;
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const error = toApplicationError(thrown);
    // The load shedder writes its own line.
    if (error.status >= 500 && !(error instanceof OverloadedError)) {
      this.logger.error(
        { err: error.cause ?? error, requestId: request.id, keyId: getKeyId(request), ...getTraceMembers(request) },
        'request failed',
      );
    }
    if (WITH_ADDRESS.includes(error.status)) request.clientAddress = this.addresses?.ofRequest(request);
    sendError(host.switchToHttp().getResponse<FastifyReply>(), error);
  }
}
