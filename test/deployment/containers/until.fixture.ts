import { setTimeout as delay } from 'node:timers/promises';

const PATIENCE_MILLISECONDS = 120_000;
const INTERVAL_MILLISECONDS = 100;

/** Asks again and again until it is so. @throws Error that says what was waited for */
export async function until(holds: () => Promise<boolean>, what: string | (() => string)): Promise<void> {
  const deadline = performance.now() + PATIENCE_MILLISECONDS;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`It did not come to this: ${typeof what === 'string' ? what : what()}`);
    await delay(INTERVAL_MILLISECONDS);
  }
}
