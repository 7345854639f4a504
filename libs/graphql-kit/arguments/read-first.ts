import { ApplicationError } from '#libs/errors';
import { DEFAULT_FIRST, LARGEST_FIRST } from '../connections/connection-arguments.js';

/**
 * How many items a page shall have; null counts as not given.
 * @throws ApplicationError `invalid_parameter` for a number out of range.
 */
export function readFirst(first: number | null): number {
  if (first === null) return DEFAULT_FIRST;
  if (first >= 1 && first <= LARGEST_FIRST) return first;
  throw new ApplicationError('invalid_parameter', `first must be an integer from 1 to ${LARGEST_FIRST}.`);
}
