import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import { LivenessError } from './verdicts.js';

const MAX_WAIT_MILLISECONDS = 120_000;

/** Resolves with the first truthy value that `probe` returns, asking every 5 ms. @throws LivenessError with the last state, after two minutes */
export async function until<Value>(probe: () => Value | Promise<Value>, describe?: () => unknown): Promise<Value> {
  const deadline = performance.now() + MAX_WAIT_MILLISECONDS;
  let value = await probe();
  while (!value) {
    if (performance.now() > deadline) throw new LivenessError(`${String(probe)} was last ${inspect(describe ? describe() : value)}.`);
    await delay(5);
    value = await probe();
  }
  return value;
}
