import { setTimeout as delay } from 'node:timers/promises';

const PATIENCE_MILLISECONDS = 120_000;

/** Resolves when the condition holds. @throws Error when it does not for two minutes. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MILLISECONDS;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`This did not come about: ${String(condition)}`);
    await delay(5);
  }
}
