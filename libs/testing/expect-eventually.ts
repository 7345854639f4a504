import { setImmediate as nextTurn } from 'node:timers/promises';

const LONGEST_WAIT_MILLISECONDS = 30_000;

/** Reads a value again and again until it equals the expected one, for changes that take effect a moment later. */
export async function expectEventually<Value>(read: () => Promise<Value>, expected: Value): Promise<void> {
  const deadline = performance.now() + LONGEST_WAIT_MILLISECONDS;
  let value = await read();
  while (JSON.stringify(value) !== JSON.stringify(expected) && performance.now() < deadline) {
    await nextTurn();
    value = await read();
  }
  expect(value).toEqual(expected);
}
