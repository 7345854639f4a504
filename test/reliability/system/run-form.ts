/** Whether this is the long form, which `LONG=1` asks for. */
export const IS_LONG = process.env['LONG'] === '1';

/** What the run draws from; `TEST_SEED` is set for every run, and repeats the draws of an earlier one. */
export const SEED = Number(process.env['TEST_SEED'] ?? 1);

let state = SEED;

/** Draws a number from 0 to 1, below 1 (mulberry32). */
export function random(): number {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

/** A whole number from `least` to `most`. */
export function randomBetween(least: number, most: number): number {
  return least + Math.floor(random() * (most - least + 1));
}
