import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { type ApplicationError, maskPath } from '#libs/observability';
import { decodedPath, keyIdOf, traceMembersOf, type RequestContext } from '../request/request-context.js';

/** Returns the client address that the log shows. */
export interface ClientAddresses {
  ofRequest(request: FastifyRequest): string;
  /** The same for a connection on which no request could be read. */
  ofConnection(remoteAddress: string | undefined): string;
}

/** Writes a line for each request. */
export class RequestLog {
  constructor(private readonly logger: Logger) {}

  /**
   * Writes the line of a request that is over, answered or not. `route` is the route's template or, if no route has the path, the masked
   * path without the query; `durationMs` is from the parsed head to the end of the response; `code` is that of an error.
   */
  write(context: RequestContext): void {
    const level = context.routeInfo?.isQuiet ? 'debug' : 'info';
    if (!this.logger.isLevelEnabled(level)) return;
    const { request, response, raw, routeInfo, target, startedAt, errorCode: code, clientAddress } = context;
    this.logger[level](
      {
        requestId: request?.id ?? '',
        method: raw.method ?? '',
        route: routeInfo?.template ?? maskPath(decodedPath(target)),
        status: response.statusCode,
        durationMs: Math.round((performance.now() - startedAt) * 1_000) / 1_000,
        code,
        clientAddress,
        keyId: keyIdOf(request),
        ...traceMembersOf(context),
        aborted: !response.writableFinished || raw.errored !== null ? true : undefined,
      },
      'request',
    );
  }

  /** Writes a line for a response to bytes that could not be parsed as a request. */
  writeRefusal(error: ApplicationError, requestId: string, clientAddress: string | undefined): void {
    this.logger.info({ requestId, status: error.status, code: error.code, clientAddress }, 'refused connection');
  }
}
