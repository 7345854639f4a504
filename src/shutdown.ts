import { setTimeout as delay } from 'node:timers/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import { Health } from '#libs/operations';
import { endTracing } from '#libs/tracing';
import { serviceAdapterOf } from './configure-app.js';
import type { ErrorOutput } from './service-log.js';

// Long enough for a proxy that looks at readiness a few times a second to send its requests elsewhere.
const ANNOUNCED_FOR_MILLISECONDS = 500;
const CHECK_MILLISECONDS = 50;
// Kept back from the grace for what is stored after the last request: longer than a database may take to answer.
const STORING_MILLISECONDS = 2_000;
/** For the spans that are not sent yet, behind all that must be stored. */
const TRACING_MILLISECONDS = 2_000;
// A terminal and npm may both pass on the same signal.
const SAME_SIGNAL_MILLISECONDS = 1_000;

/** Where it is said how the end went. */
export interface ShutdownOutput {
  readonly logger: Logger;
  readonly errorOutput: ErrorOutput;
}

/**
 * Ends the service on SIGTERM and SIGINT within `grace` milliseconds, with exit code 0 where all that must be stored is stored.
 * For half a second it still accepts connections while it says that it is not ready; then it accepts none, closes the idle ones
 * and finishes the requests in flight: a request that still arrives has half the time for that, and is refused before where nothing comes of
 * it for a second; what is not finished when time runs out is cut. A second signal ends it at once, and so
 * does the first one while it starts. The last line of the log says that the service has stopped, and how long that took.
 */
export class Shutdown {
  private app: NestFastifyApplication | undefined;
  private begunAt: number | undefined;

  constructor(
    private readonly grace: number,
    private readonly output: ShutdownOutput,
  ) {
    process.on('SIGTERM', this.onSignal);
    process.on('SIGINT', this.onSignal);
  }

  /** From now on there is something to finish. */
  serves(app: NestFastifyApplication): void {
    this.app = app;
  }

  private readonly onSignal = (): void => {
    if (this.begunAt === undefined) {
      this.begunAt = performance.now();
      if (this.app) void this.end(this.app);
      else this.exit();
    } else if (performance.now() - this.begunAt > SAME_SIGNAL_MILLISECONDS) {
      process.exitCode = 1;
      this.exit();
    }
  };

  private async end(app: NestFastifyApplication): Promise<void> {
    const { grace } = this;
    const { connections } = serviceAdapterOf(app);
    let hasEnded = false;
    setTimeout(() => {
      if (!hasEnded) this.complain(`it was not done after ${grace / 1_000} s`);
      this.exit();
    }, grace).unref();
    app.get(Health).drain();
    connections.drain();
    const announcedFor = Math.min(ANNOUNCED_FOR_MILLISECONDS, grace / 4);
    await delay(announcedFor);
    const begunAt = this.begunAt ?? 0;
    const closing = setInterval(() => {
      connections.closeIdle();
      connections.refuseArriving(performance.now() - begunAt < grace / 2 ? 'stalled' : 'all');
    }, CHECK_MILLISECONDS);
    const cut = setTimeout(() => connections.cut(), grace - announcedFor - Math.min(STORING_MILLISECONDS, grace / 4));
    try {
      await app.close();
    } catch (error) {
      this.complain(error instanceof Error ? error.message : String(error));
    }
    clearInterval(closing);
    clearTimeout(cut);
    // A collector that does not answer is no failure of the service.
    hasEnded = true;
    const left = grace - (performance.now() - (this.begunAt ?? 0));
    const isSent = await endTracing(Math.min(TRACING_MILLISECONDS, Math.max(0, left)));
    // What is still under way, such as the line of a request that was cut, comes before it.
    if (isSent) process.once('beforeExit', () => this.sayStopped());
    // Else what is under way to the collector would keep the process alive.
    else setImmediate(() => this.exit());
  }

  private exit(): void {
    this.sayStopped();
    process.exit();
  }

  private sayStopped(): void {
    const durationMs = Math.round(performance.now() - (this.begunAt ?? 0));
    if (process.exitCode === 1) this.output.logger.error({ durationMs }, 'stopped before all was done');
    else this.output.logger.info({ durationMs }, 'stopped');
  }

  private complain(reason: string): void {
    this.output.errorOutput.say(`The service did not end cleanly: ${reason}`);
    process.exitCode = 1;
  }
}
