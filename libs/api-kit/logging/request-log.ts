import type { Logger } from 'pino';
import type { ApplicationError } from '#libs/errors';
import { keyIdOf, type Exchange } from '../exchange/exchange.js';
import { decodedPath } from '../exchange/request-target.js';
import { maskPath } from './mask.js';

/** One line of the log for one request. What is undefined is left out. */
interface RequestLogFields {
  readonly requestId: string;
  readonly method: string | undefined;
  /** The route template, or where no route has the path, the path with what may be a key masked. Never the query. */
  readonly route: string;
  readonly status: number;
  /** Milliseconds from the parsed head to the end of the answer. */
  readonly durationMs: number;
  /** The API key's id in digits, once it is known. */
  readonly keyId: string | undefined;
  /** The client went away before it had the answer. */
  readonly aborted: true | undefined;
}

/** Writes the lines of what is answered. */
export class RequestLog {
  constructor(private readonly logger: Logger) {}

  /** A line for an exchange that is over, answered or not. */
  write(exchange: Exchange): void {
    const level = exchange.resource?.isQuiet ? 'debug' : 'info';
    if (this.logger.isLevelEnabled(level)) this.logger[level](fieldsOf(exchange), 'request');
  }

  /** A line for an answer to what was no request that could be parsed. */
  writeRefusal(error: ApplicationError, requestId: string): void {
    this.logger.info({ requestId, status: error.status, code: error.code }, 'refused connection');
  }
}

function fieldsOf({ request, response, raw, resource, target, startedAt }: Exchange): RequestLogFields {
  return {
    requestId: request?.id ?? '',
    method: raw.method,
    route: resource?.template ?? maskPath(decodedPath(target)),
    status: response.statusCode,
    durationMs: Math.round((performance.now() - startedAt) * 1_000) / 1_000,
    keyId: keyIdOf(request),
    aborted: !response.writableFinished || raw.errored !== null || undefined,
  };
}
