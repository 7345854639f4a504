import { ApplicationError } from '#libs/errors';
import { INT64_MAX, INT64_MIN, parseInt64 } from '#libs/validation';

/**
 * The int64 that an argument of type `ID` holds.
 * @throws ApplicationError `invalid_parameter` naming the argument.
 */
export function readId(name: string, text: string): bigint {
  const id = parseInt64(text);
  if (id !== undefined) return id;
  throw new ApplicationError('invalid_parameter', `${name} must be an integer from ${INT64_MIN} to ${INT64_MAX}, written in plain digits.`);
}
