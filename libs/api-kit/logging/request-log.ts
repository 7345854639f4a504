import type { Logger } from 'pino';
import type { ApplicationError } from '#libs/errors';
import type { Exchange } from '../server/exchange.js';
import { decodedPath } from '../server/request-target.js';
import { keyIdOf } from './key-id.js';
import { maskPath } from './mask.js';
import { RequestLines, type RequestLogFields } from './request-lines.js';

/** Writes the lines of what is answered. */
export class RequestLog {
  private readonly lines: RequestLines;

  constructor(private readonly logger: Logger) {
    this.lines = new RequestLines(logger);
  }

  /** A line for an exchange that is over, answered or not. */
  write(exchange: Exchange): void {
    const level = exchange.resource?.isQuiet ? 'debug' : 'info';
    if (this.logger.isLevelEnabled(level)) this.lines.write(level, fieldsOf(exchange));
  }

  /** A line for an answer to what was no request that could be parsed. */
  writeRefusal(error: ApplicationError, requestId: string): void {
    this.logger.info({ requestId, status: error.status, code: error.code }, 'refused connection');
  }
}

function fieldsOf(exchange: Exchange): RequestLogFields {
  const { request, response, raw, resource, target, startedAt } = exchange;
  return {
    requestId: request?.id ?? '',
    method: raw.method,
    route: resource?.template ?? maskPath(decodedPath(target)),
    status: response.statusCode,
    durationMs: Math.round((performance.now() - startedAt) * 1_000) / 1_000,
    keyId: keyIdOf(request),
    aborted: !response.writableFinished || raw.errored !== null,
  };
}
