import type { Logger } from 'pino';
import type { ApplicationError } from '#libs/errors';
import type { Exchange } from '../server/exchange.js';
import { decodedPath } from '../server/request-target.js';
import { maskPath } from './mask.js';

/** One line of the log for one request. */
export interface RequestLogFields {
  readonly requestId: string;
  readonly method: string | undefined;
  /** The route template, or where no route has the path, the path with what may be a key masked. Never the query. */
  readonly route: string;
  readonly status: number;
  /** Milliseconds from the parsed head to the end of the answer. */
  readonly durationMs: number;
  /** The API key's id in digits, once it is known. */
  readonly keyId?: string;
  /** The client went away before it had the answer. */
  readonly aborted?: true;
}

/** Writes a line when an exchange is over, answered or not. */
export class RequestLog {
  constructor(private readonly logger: Logger) {}

  readonly watch = (exchange: Exchange): void => {
    if (!this.logger.isLevelEnabled('info')) return;
    exchange.response.once('close', () => this.logger.info(fieldsOf(exchange), 'request'));
  };

  /** A line for an answer to what was no request that could be parsed. */
  readonly writeRefusal = (error: ApplicationError, requestId: string): void => {
    this.logger.info({ requestId, status: error.status, code: error.code }, 'refused connection');
  };
}

function fieldsOf(exchange: Exchange): RequestLogFields {
  const { request, response, raw, resource, target, startedAt } = exchange;
  const keyId = keyIdOf(request);
  return {
    requestId: request?.id ?? '',
    method: raw.method,
    route: resource?.template ?? maskPath(decodedPath(target)),
    status: response.statusCode,
    durationMs: Math.round((performance.now() - startedAt) * 1_000) / 1_000,
    ...(keyId !== undefined && { keyId }),
    ...((!response.writableFinished || raw.errored) && { aborted: true }),
  };
}

/** Authentication is a matter of the service: what is known here of a caller is its key's id. */
function keyIdOf(request: object | undefined): string | undefined {
  const { caller } = (request ?? {}) as { readonly caller?: { readonly keyId: bigint | number | string } };
  return caller?.keyId.toString();
}
