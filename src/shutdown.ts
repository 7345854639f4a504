import type { NestFastifyApplication } from '@nestjs/platform-fastify';

const GRACE_MILLISECONDS = 10_000;
const IDLE_CHECK_MILLISECONDS = 50;

/** Ends the service on SIGTERM and SIGINT: requests in flight are finished, then the process exits with 0. */
export function shutDownOnSignal(app: NestFastifyApplication): void {
  let closing = false;
  const close = (): void => {
    if (closing) return;
    closing = true;
    void shutDown(app);
  };
  process.on('SIGTERM', close);
  process.on('SIGINT', close);
}

async function shutDown(app: NestFastifyApplication): Promise<void> {
  const server = app.getHttpServer();
  // A connection whose answer was on its way when closing began is kept alive by its client and becomes idle later.
  const closeIdle = setInterval(() => server.closeIdleConnections(), IDLE_CHECK_MILLISECONDS);
  const cut = setTimeout(() => server.closeAllConnections(), GRACE_MILLISECONDS);
  try {
    await app.close();
  } catch (error) {
    process.stderr.write(`The service did not end cleanly: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
  clearInterval(closeIdle);
  clearTimeout(cut);
}
