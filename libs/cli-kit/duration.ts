import { ApplicationError } from '#libs/errors';
import { durationOf } from '#libs/validation';
import { withRecipe } from './recipe.js';

/**
 * Reads a duration such as `30s`, `15m`, `24h` or `90d`: a whole number from 1 and one unit, 36500 days at most.
 * @returns milliseconds.
 * @throws ApplicationError `invalid_parameter` for anything else.
 */
export const parseDuration = withRecipe(['duration'], (text: string): number => {
  const milliseconds = durationOf(text);
  if (milliseconds) return milliseconds;
  throw new ApplicationError(
    'invalid_parameter',
    `"${text}" is not a duration: write a whole number and a unit, such as 30s, 15m, 24h or 90d (at most 36500d)`,
  );
});
