import { resolve } from 'node:path';

/** Variables of a service with the bug that a module in `test/reliability/planted` plants. It does not start if the module throws. */
export function plantedBug(name: string): Readonly<Record<string, string>> {
  return { NODE_OPTIONS: `--import=${resolve('test/reliability/planted', `${name}.mjs`)}` };
}
