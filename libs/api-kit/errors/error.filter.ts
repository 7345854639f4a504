import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { sendError } from './send-error.js';
import { toApplicationError } from './to-application-error.js';

/** Answers whatever is thrown while a request is handled, and logs what is the service's fault. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(private readonly logger: Logger) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    // GraphQL answers with its errors in a body of its own.
    if (host.getType() !== 'http') throw thrown;
    const { id } = host.switchToHttp().getRequest<FastifyRequest>();
    const error = toApplicationError(thrown);
    if (error.status >= 500) this.logger.error({ err: error.cause ?? error, requestId: id }, 'request failed');
    sendError(host.switchToHttp().getResponse<FastifyReply>(), error);
  }
}
