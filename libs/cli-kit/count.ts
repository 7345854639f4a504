import { ApplicationError } from '#libs/errors';
import { withRecipe } from './recipe.js';
import { numberOf } from './whole-number.js';

/**
 * Reads a whole number from 0 in at most 15 plain digits.
 * @throws ApplicationError `invalid_parameter` that names the option, for anything else.
 */
export function count(option: string): (text: string) => number {
  return withRecipe(['count', option], (text) => {
    const value = numberOf(text);
    if (typeof value === 'number' && value >= 0) return value;
    throw new ApplicationError('invalid_parameter', `${option} must be a whole number in plain digits, such as 100, not "${text}".`);
  });
}
