import type { EventEmitter } from 'node:events';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { ApplicationError } from '#libs/observability';

const RETRY_AFTER_SECONDS = 1;
const LOG_INTERVAL_MILLISECONDS = 1_000;
/** Turns of the event loop after which requests run although connections still arrive. */
const MAX_TURNS = 1_024;

declare module 'fastify' {
  interface FastifyRequest {
    /** The operation that counts the request; undefined while it is not in progress. */
    operation: Operation | undefined;
  }
}

/** A method of a route, such as `POST /v1/pets`. */
interface Operation {
  inProgress: number;
}

/** The service has more to do than it can do in time. Nothing was done for the request. */
export class OverloadedError extends ApplicationError {
  override readonly name = 'OverloadedError';

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
 * Decides which requests to refuse so that the others get their responses in time (ADR 18). A request is in progress from its arrival until
 * its response is made, except while its body is on its way.
 */
export class LoadShedder {
  private readonly operations = new Map<string, Operation>();
  private shed = 0;
  private loggedAt = -Infinity;

  constructor(private readonly options: LoadShedderOptions) {}

  /** Adds the hooks that count; once, before the routes. */
  watch(instance: FastifyInstance): void {
    instance.decorateRequest('operation');
    instance.addHook('preParsing', (request, _reply, _payload, done) => {
      if (request.context.hasBody && !request.raw.complete) endProgress(request);
      done();
    });
    instance.addHook('preValidation', (request, _reply, done) => {
      if (request.context.hasBody && !request.operation) begin(request, this.findOperation(request));
      done();
    });
    instance.addHook('onSend', (request: FastifyRequest, _reply: FastifyReply, _payload: unknown, done: () => void) => {
      endProgress(request);
      done();
    });
  }

  /** Whether to refuse the request, with an `OverloadedError`. To be called once for each. */
  sheds(request: FastifyRequest): boolean {
    const { startedAt, routeInfo } = request.context;
    const operation = this.findOperation(request);
    if (operation.inProgress < this.options.mostInProgress(routeInfo?.template)) {
      begin(request, operation);
      return false;
    }
    this.shed += 1;
    if (startedAt - this.loggedAt >= LOG_INTERVAL_MILLISECONDS) {
      this.options.logger.warn({ shedSinceStart: this.shed, method: request.method, route: routeInfo?.template }, 'requests are shed');
      this.loggedAt = startedAt;
    }
    return true;
  }

  /**
   * Returns the hook that authenticates a request unless it is shed. A shed one is not counted against limits; its response has those that
   * are known without reading. Others wait for the end of a rush of connections, so that they are in progress when the next one is checked.
   * The hook throws OverloadedError, or as the authentication does.
   * @param rush as `watchConnectionRush` returns it
   */
  before(authentication: Authentication, rush: () => Promise<void> | undefined): (request: FastifyRequest) => Promise<void> | void {
    return (request) => {
      if (this.sheds(request)) {
        authentication.recognise(request);
        throw new OverloadedError();
      }
      return rush()?.then(() => authentication.run(request)) ?? authentication.run(request);
    };
  }

  private findOperation({ context }: FastifyRequest): Operation {
    const name = context.routeInfo?.name ?? '';
    const known = this.operations.get(name);
    if (known) return known;
    const operation: Operation = { inProgress: 0 };
    this.operations.set(name, operation);
    return operation;
  }
}

function begin(request: FastifyRequest, operation: Operation): void {
  operation.inProgress += 1;
  request.operation = operation;
}

/** The request is no longer in progress. */
export function endProgress(request: FastifyRequest): void {
  if (!request.operation) return;
  request.operation.inProgress -= 1;
  request.operation = undefined;
}

/**
 * Returns a function whose promise resolves when a turn of the event loop has brought no new connection; undefined outside of such a rush.
 * Node takes one new connection a turn, so clients that connect wait for the work of all turns before (ADR 18).
 */
export function watchConnectionRush(server: EventEmitter): () => Promise<void> | undefined {
  let rush: Promise<void> | undefined;
  let turns = 0;
  let hasArrived = false;
  const look = (end: () => void): void => {
    turns += 1;
    if (hasArrived && turns <= MAX_TURNS) {
      hasArrived = false;
      setImmediate(look, end);
      return;
    }
    rush = undefined;
    end();
  };
  server.on('connection', () => {
    hasArrived = true;
    if (rush) return;
    turns = 0;
    rush = new Promise((resolve) => setImmediate(look, resolve));
  });
  return () => rush;
}
