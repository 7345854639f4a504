import type { EventEmitter } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { ApplicationError } from '#libs/observability';
import { hasBody } from '../request/request-fields.js';

const RETRY_AFTER_SECONDS = 1;
const LOG_INTERVAL_MILLISECONDS = 1_000;
/** Turns of the event loop after which requests run although connections still arrive. */
const MAX_TURNS = 1_024;

/** The service has more to do than it can do in time. Nothing was done for the request. */
export class OverloadedError extends ApplicationError {
  constructor() {
    super('service_unavailable', `The service has too much to do; nothing was done. Try again in ${RETRY_AFTER_SECONDS} s, and back off.`, {
      headers: { 'retry-after': `${RETRY_AFTER_SECONDS}` },
    });
  }
}

export interface LoadShedderOptions {
  /** Returns how many requests of an operation may be in progress, by its route template; further ones are refused. */
  readonly mostInProgress: (template: string | undefined) => number;
  /** Logs shedding at most once a second. */
  readonly logger: Logger;
}

/** Finds out who sends a request. `recognise` tells what is known of the caller without reading; it admits nobody. */
export interface Authentication {
  run(request: FastifyRequest): Promise<void> | void;
  recognise(request: FastifyRequest): void;
}

/**
 * Returns the hook that authenticates a request unless it is shed, so that the others get their responses in time (ADR 18). A request is in
 * progress from its arrival until its response is made, except while its body is on its way. A shed one is not counted against limits; its
 * response has those that are known without reading. Others wait for the end of a rush of connections, so that they are in progress when
 * the next one is checked. The hook throws OverloadedError, or as the authentication does.
 * @param rush as `watchConnectionRush` returns it
 */
export function shedLoad(
  { mostInProgress, logger }: LoadShedderOptions,
  authentication: Authentication,
  rush: () => Promise<void> | undefined,
): (request: FastifyRequest) => Promise<void> | void {
  let shedSinceStart = 0;
  let loggedAt = -Infinity;
  return (request) => {
    const { startedAt, method, route } = request;
    if (route.inProgress < mostInProgress(route.template)) {
      beginProgress(request);
      return rush()?.then(() => authentication.run(request)) ?? authentication.run(request);
    }
    shedSinceStart += 1;
    if (startedAt - loggedAt >= LOG_INTERVAL_MILLISECONDS) {
      logger.warn({ shedSinceStart, method, route: route.template }, 'requests are shed');
      loggedAt = startedAt;
    }
    authentication.recognise(request);
    throw new OverloadedError();
  };
}

/** Counts a request until its response is made. */
function beginProgress(request: FastifyRequest): void {
  request.isInProgress = true;
  request.route.inProgress += 1;
}

/** The request is no longer in progress. */
export function endProgress(request: FastifyRequest): void {
  if (!request.isInProgress) return;
  request.isInProgress = false;
  request.route.inProgress -= 1;
}

/** A `preParsing` hook: a request is not in progress while its body is on its way. */
export function awaitBody(request: FastifyRequest, _reply: unknown, _payload: unknown, done: () => void): void {
  if (hasBody(request) && !request.raw.complete) endProgress(request);
  done();
}

/** A `preValidation` hook, for a request whose body has arrived. */
export function resumeProgress(request: FastifyRequest, _reply: unknown, done: () => void): void {
  if (!request.isInProgress && hasBody(request)) beginProgress(request);
  done();
}

/**
 * Returns a function whose promise resolves when a turn of the event loop has brought no new connection; undefined outside of such a rush.
 * Node takes one new connection a turn, so clients that connect wait for the work of all turns before (ADR 18).
 */
export function watchConnectionRush(server: EventEmitter): () => Promise<void> | undefined {
  let rush: Promise<void> | undefined;
  let hasArrived = false;
  const awaitEnd = async (): Promise<void> => {
    for (let turns = 0; hasArrived && turns < MAX_TURNS; turns += 1) {
      // The first one is that of the first connection.
      if (turns > 0) hasArrived = false;
      await nextTurn();
    }
    rush = undefined;
  };
  server.on('connection', () => {
    hasArrived = true;
    rush ??= awaitEnd();
  });
  return () => rush;
}
