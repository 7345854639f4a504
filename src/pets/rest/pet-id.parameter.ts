import { ApplicationError } from '#libs/errors';
import { INT64_MAX, INT64_MIN, parseInt64 } from '#libs/validation';

/** @throws ApplicationError `invalid_parameter` when the path's `petId` is not an int64 in plain digits. */
export function readPetId(text: string): bigint {
  const id = parseInt64(text);
  if (id !== undefined) return id;
  throw new ApplicationError('invalid_parameter', `petId must be an integer from ${INT64_MIN} to ${INT64_MAX}, written in plain digits.`);
}
