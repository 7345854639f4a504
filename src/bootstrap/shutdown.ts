import { setTimeout as delay } from 'node:timers/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Logger } from 'pino';
import { getServiceAdapter } from '#libs/http';
import { Health, endTracing, maskSecrets } from '#libs/observability';

// Long enough for a proxy that checks readiness a few times a second to send its requests elsewhere.
const ANNOUNCED_FOR_MILLISECONDS = 500;
const CHECK_MILLISECONDS = 50;
// Reserved for writes after the last request: longer than a database may take to answer.
const STORING_MILLISECONDS = 2_000;
// For sending the last spans, after everything is stored.
const TRACING_MILLISECONDS = 2_000;
// A terminal and npm may both pass on the same signal.
const SAME_SIGNAL_MILLISECONDS = 1_000;

/**
 * Ends the service on SIGTERM and SIGINT within `grace` milliseconds, with exit code 0 if everything is stored.
 * For half a second it accepts connections but is not ready. Then it accepts none, closes idle ones and finishes the requests in flight; what
 * is unfinished or still arriving when time runs out is cut. A second signal, or the first one during the start, ends the service at once.
 * The last line of the log has the duration.
 */
export class Shutdown {
  private app: NestFastifyApplication | undefined;
  private begunAt: number | undefined;

  constructor(
    private readonly grace: number,
    private readonly logger: Logger,
    private readonly errorLog: Logger,
  ) {
    process.on('SIGTERM', this.onSignal);
    process.on('SIGINT', this.onSignal);
  }

  /** Must be called when the application listens; from then on a signal shuts it down gracefully. */
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
    const { connections } = getServiceAdapter(app);
    let hasEnded = false;
    setTimeout(() => {
      if (!hasEnded) this.complain(`it did not end within ${grace / 1_000} s`);
      this.exit();
    }, grace).unref();
    app.get(Health).drain();
    connections.isDraining = true;
    const announcedFor = Math.min(ANNOUNCED_FOR_MILLISECONDS, grace / 4);
    await delay(announcedFor);
    const begunAt = this.begunAt ?? 0;
    const closing = setInterval(() => connections.closeSilent(), CHECK_MILLISECONDS);
    const cut = setTimeout(() => connections.cut(), grace - announcedFor - Math.min(STORING_MILLISECONDS, grace / 4));
    try {
      await app.close();
    } catch (error) {
      this.complain(error instanceof Error ? error.message : String(error));
    }
    clearInterval(closing);
    clearTimeout(cut);
    // A collector that does not answer is not a failure of the service.
    hasEnded = true;
    const left = grace - (performance.now() - begunAt);
    const isSent = await endTracing(Math.min(TRACING_MILLISECONDS, Math.max(0, left)));
    // Lines still being written, such as that of a request that was cut, come first.
    if (isSent) process.once('beforeExit', () => this.sayStopped());
    // Otherwise the request to the collector would keep the process alive.
    else setImmediate(() => this.exit());
  }

  private exit(): void {
    this.sayStopped();
    process.exit();
  }

  private sayStopped(): void {
    const durationMs = Math.round(performance.now() - (this.begunAt ?? 0));
    if (process.exitCode === 1) this.logger.error({ durationMs }, 'stopped before everything was stored');
    else this.logger.info({ durationMs }, 'stopped');
  }

  private complain(reason: string): void {
    this.errorLog.fatal(maskSecrets(`The service did not end cleanly: ${reason}`));
    process.exitCode = 1;
  }
}
