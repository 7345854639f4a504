import { ApplicationError } from '#libs/errors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { RequestsInProgress } from './requests-in-progress.js';

const RETRY_AFTER_SECONDS = 1;
const LOG_INTERVAL_MILLISECONDS = 1_000;

/** There is more to do than the service can do in time. Nothing was done for the request. */
export class OverloadedError extends ApplicationError {
  override readonly name = 'OverloadedError';

  constructor() {
    super('service_unavailable', `The service has too much to do; nothing was done. Try again in ${RETRY_AFTER_SECONDS} s, and back off.`, {
      headers: { 'retry-after': `${RETRY_AFTER_SECONDS}` },
    });
  }
}

export interface LoadShedderOptions {
  /** How many requests of an operation may be in progress, by the template of its route; further ones are refused. */
  readonly mostInProgress: (template: string | undefined) => number;
  /** Told of shedding at most once a second. */
  readonly logger: Logger;
}

/** Says which requests to refuse so that the others are answered in time. */
export class LoadShedder {
  private readonly requests = new RequestsInProgress();
  private shed = 0;
  private loggedAt = -Infinity;

  constructor(private readonly options: LoadShedderOptions) {}

  /** To be called once, before the routes are added to `instance`. */
  watch(instance: FastifyInstance): void {
    this.requests.watch(instance);
  }

  /** Whether to refuse the request, with an `OverloadedError`; asked once for each. */
  sheds(request: FastifyRequest): boolean {
    const { startedAt, routeInfo } = request.context;
    if (this.requests.begin(request, this.options.mostInProgress(routeInfo?.template))) return false;
    this.shed += 1;
    if (startedAt - this.loggedAt >= LOG_INTERVAL_MILLISECONDS) this.log(request);
    return true;
  }

  private log({ method, context: { startedAt, routeInfo } }: FastifyRequest): void {
    this.options.logger.warn({ shedSinceStart: this.shed, method, route: routeInfo?.template }, 'requests are shed');
    this.loggedAt = startedAt;
  }
}
