import { ApplicationError } from '#libs/errors';
import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { TurnTime } from './event-loop-turn.js';

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
  readonly turnTime: TurnTime;
  /** Milliseconds of a turn of the event loop after which its further requests are refused. */
  readonly limitMilliseconds: number;
  /** Told of shedding at most once a second. */
  readonly logger: Logger;
}

/**
 * Says which requests to refuse so that the others are answered in time. A turn of the event loop takes up all requests
 * that have arrived; what arrives while it runs waits for its end, whoever sent it.
 */
export class LoadShedder {
  private shed = 0;
  private loggedAt = -Infinity;

  constructor(private readonly options: LoadShedderOptions) {}

  /** Whether to refuse the request, with an `OverloadedError`. */
  sheds({ exchange: { startedAt } }: FastifyRequest): boolean {
    const turnMilliseconds = this.options.turnTime(startedAt);
    if (turnMilliseconds <= this.options.limitMilliseconds) return false;
    this.shed += 1;
    if (startedAt - this.loggedAt >= LOG_INTERVAL_MILLISECONDS) this.log(startedAt, turnMilliseconds);
    return true;
  }

  private log(now: number, turnMilliseconds: number): void {
    this.options.logger.warn({ shedSinceStart: this.shed, turnMilliseconds: Math.round(turnMilliseconds) }, 'requests are shed');
    this.loggedAt = now;
  }
}
