import { seededRandom } from './seeded-random.js';

/** Whether this is the long form, which `LONG=1` asks for. */
export const IS_LONG = process.env['LONG'] === '1';

/** What the run draws from; `TEST_SEED` is set for every run, and repeats the draws of an earlier one. */
export const SEED = Number(process.env['TEST_SEED'] ?? 1);

export const random = seededRandom(SEED);

/** A whole number from `least` to `most`. */
export function randomBetween(least: number, most: number): number {
  return least + Math.floor(random() * (most - least + 1));
}
