import { until } from './until.js';

/** Reads a value until it equals the expected one, both as JSON. @throws LivenessError with the last value read, after two minutes */
export async function expectEventually<Value>(read: () => Value | Promise<Value>, expected: Value): Promise<void> {
  let value: Value;
  await until(
    async () => {
      value = await read();
      return JSON.stringify(value) === JSON.stringify(expected);
    },
    () => value,
  );
}
