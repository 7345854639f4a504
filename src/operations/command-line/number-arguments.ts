import { ApplicationError } from '#libs/errors';
import { parseInt64 } from '#libs/validation';

/** Reads an option's whole number in plain digits, at least `minimum`. @throws ApplicationError `invalid_parameter` that names the option. */
export function wholeNumber(option: string, minimum: bigint): (text: string) => bigint {
  return (text) => {
    const value = parseInt64(text);
    if (value !== undefined && value >= minimum) return value;
    throw new ApplicationError('invalid_parameter', `${option} must be a whole number from ${minimum} in plain digits, not "${text}".`);
  };
}
