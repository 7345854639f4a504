import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { keyIdOf, traceMembersOf } from '../exchange/exchange.js';
import { sendError } from '../exchange/send-error.js';
import { OverloadedError } from '../overload/load-shedder.js';
import { toApplicationError } from './to-application-error.js';

/** Answers whatever is thrown while a request is handled, and logs what is the service's fault; what is shed is logged where that is decided. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(private readonly logger: Logger) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    // GraphQL answers with its errors in a body of its own.
    if (host.getType() !== 'http') throw thrown;
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const error = toApplicationError(thrown);
    if (error.status >= 500 && !(error instanceof OverloadedError)) {
      this.logger.error(
        { err: error.cause ?? error, requestId: request.id, keyId: keyIdOf(request), ...traceMembersOf(request.exchange) },
        'request failed',
      );
    }
    sendError(host.switchToHttp().getResponse<FastifyReply>(), error);
  }
}
