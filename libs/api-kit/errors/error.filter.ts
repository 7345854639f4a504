import { Catch, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { keyIdOf, traceMembersOf } from '../exchange/exchange.js';
import { sendError } from '../exchange/send-error.js';
import type { ClientAddresses } from '../logging/request-log.js';
import { OverloadedError } from '../overload/load-shedder.js';
import { toApplicationError } from './to-application-error.js';

/** Refusals that depend on who asks. */
const WITH_ADDRESS: readonly number[] = [401, 403, 429];

/** Answers whatever is thrown while a request is handled, and logs what is the service's fault; what is shed is logged where that is decided. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  /** @param addresses where the log tells whom a request is refused to; it does not when left out */
  constructor(
    private readonly logger: Logger,
    private readonly addresses?: ClientAddresses,
  ) {}

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
    if (WITH_ADDRESS.includes(error.status)) request.exchange.clientAddress = this.addresses?.ofRequest(request);
    sendError(host.switchToHttp().getResponse<FastifyReply>(), error);
  }
}
