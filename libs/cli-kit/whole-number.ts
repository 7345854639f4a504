import { ApplicationError } from '#libs/errors';
import { parseInt64 } from '#libs/validation';
import { withRecipe } from './recipe.js';

// Held exactly by a number.
const PLAIN_NUMBER = /^(?:0|-?[1-9]\d{0,14})$/;

/** A whole number of at most 15 plain digits as number; any other text as it is, for the rule of a command to refuse. */
export function numberOf(text: string): number | string {
  return PLAIN_NUMBER.test(text) ? Number(text) : text;
}

/**
 * Reads a whole number in plain digits that no rule of a command judges.
 * @param right what it must be, such as `--limit must be a whole number`
 * @throws ApplicationError `invalid_parameter` that says so and names the text, where it is anything else or less than the minimum
 */
export function wholeNumber(right: string, minimum: bigint): (text: string) => bigint {
  return withRecipe(['whole-number', right, String(minimum)], (text) => {
    const value = parseInt64(text);
    if (value !== undefined && value >= minimum) return value;
    throw new ApplicationError('invalid_parameter', `${right}, not "${text}".`);
  });
}
