import type { ApplicationError } from '#libs/errors';
import { decodedPath, keyIdOf, type RequestContext } from '../request/request-context.js';
import { PROCESS, type ServiceLogger } from './logger.js';
import { maskPath } from './mask.js';

/** As pino numbers them. */
const LEVELS = { debug: 20, info: 30 } as const;
const PROCESS_MEMBERS = JSON.stringify(PROCESS).slice(1, -1);

/** Writes the lines of what is answered. */
export class RequestLog {
  constructor(private readonly logger: ServiceLogger) {}

  /** A line for a request that is over, answered or not. */
  write(context: RequestContext): void {
    const level = context.routeInfo?.isQuiet ? 'debug' : 'info';
    if (this.logger.isLevelEnabled(level)) this.logger.destination.write(lineOf(context, LEVELS[level]));
  }

  /** A line for an answer to what was no request that could be parsed. */
  writeRefusal(error: ApplicationError, requestId: string, clientAddress: string | undefined): void {
    this.logger.info({ requestId, status: error.status, code: error.code, clientAddress }, 'refused connection');
  }
}

/**
 * The line in the form in which the logger writes its own, formed here since that takes a third of the time: `route` is the template of
 * the route, or where no route has the path, the path with what may be a key masked, never the query; `durationMs` is from the parsed
 * head to the end of the answer; `code` is there for an answer with an error, and `clientAddress` where that is 401, 403 or 429; `keyId` is left out where no key is known, `traceId` and `spanId` where it is in no trace, `aborted` unless the client went away before it had the
 * answer.
 */
function lineOf(context: RequestContext, level: number): string {
  const { request, response, raw, routeInfo, target, startedAt, trace, errorCode, clientAddress } = context;
  const route = JSON.stringify(routeInfo?.template ?? maskPath(decodedPath(target)));
  const durationMs = Math.round((performance.now() - startedAt) * 1_000) / 1_000;
  const code = errorCode === undefined ? '' : `,"code":"${errorCode}"`;
  const client = clientAddress === undefined ? '' : `,"clientAddress":"${clientAddress}"`;
  const keyId = keyIdOf(request);
  const caller = keyId === undefined ? '' : `,"keyId":"${keyId}"`;
  const traced = trace === undefined ? '' : `,"traceId":"${trace.traceId}","spanId":"${trace.spanId}"`;
  const aborted = !response.writableFinished || raw.errored !== null ? ',"aborted":true' : '';
  return (
    `{"level":${level},"time":${Date.now()},${PROCESS_MEMBERS},"requestId":"${request?.id ?? ''}","method":"${raw.method ?? ''}",` +
    `"route":${route},"status":${response.statusCode},"durationMs":${durationMs}${code}${client}${caller}${traced}${aborted},"msg":"request"}\n`
  );
}
