import { setTimeout as delay } from 'node:timers/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Health } from '#libs/operations';
import { serviceAdapterOf } from './configure-app.js';

// Long enough for a proxy that looks at readiness a few times a second to send its requests elsewhere.
const ANNOUNCED_FOR_MILLISECONDS = 500;
const IDLE_CHECK_MILLISECONDS = 50;
// Kept back from the grace for what is stored after the last request: longer than a database may take to answer.
const STORING_MILLISECONDS = 2_000;
// A terminal and npm may both pass on the same signal.
const SAME_SIGNAL_MILLISECONDS = 1_000;

/**
 * Ends the service on SIGTERM and SIGINT within `grace` milliseconds, with exit code 0 where all that must be stored is stored.
 * For half a second it still accepts connections while it says that it is not ready; then it accepts none, closes the idle ones
 * and finishes the requests in flight; those that are not finished when time runs out are cut. A second signal ends it at once.
 */
export function shutDownOnSignal(app: NestFastifyApplication, grace: number): void {
  let begunAt: number | undefined;
  const end = (): void => {
    if (begunAt === undefined) {
      begunAt = performance.now();
      void shutDown(app, grace);
    } else if (performance.now() - begunAt > SAME_SIGNAL_MILLISECONDS) {
      process.exit(1);
    }
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
}

async function shutDown(app: NestFastifyApplication, grace: number): Promise<void> {
  const { connections } = serviceAdapterOf(app);
  let hasEnded = false;
  setTimeout(() => {
    if (!hasEnded) complain(`it was not done after ${grace / 1_000} s`);
    process.exit();
  }, grace).unref();
  app.get(Health).drain();
  connections.drain();
  const announcedFor = Math.min(ANNOUNCED_FOR_MILLISECONDS, grace / 4);
  await delay(announcedFor);
  const closeIdle = setInterval(() => connections.closeIdle(), IDLE_CHECK_MILLISECONDS);
  const cut = setTimeout(() => connections.cut(), grace - announcedFor - Math.min(STORING_MILLISECONDS, grace / 4));
  try {
    await app.close();
  } catch (error) {
    complain(error instanceof Error ? error.message : String(error));
  }
  clearInterval(closeIdle);
  clearTimeout(cut);
  hasEnded = true;
}

function complain(reason: string): void {
  process.stderr.write(`The service did not end cleanly: ${reason}\n`);
  process.exitCode = 1;
}
