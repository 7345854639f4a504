import { numberOf, wholeNumber } from '#libs/cli-kit';
import { ApplicationError } from '#libs/errors';

/** @throws ApplicationError `invalid_parameter` unless the text is a key's id in plain digits. */
export const parseKeyId = wholeNumber("ID must be an API key's number in plain digits, such as 7", 1n);

/** A whole number in plain digits. @throws ApplicationError `invalid_parameter` that names the option. */
export function parseCount(option: string): (text: string) => number {
  return (text) => {
    const count = numberOf(text);
    if (typeof count === 'number' && count >= 0) return count;
    throw new ApplicationError('invalid_parameter', `${option} must be a whole number in plain digits, such as 100, not "${text}".`);
  };
}

/** The parts of a list separated by commas. */
export function parseList(text: string): string[] {
  return text.split(',');
}
