import { ApplicationError } from '#libs/errors';

export const DEFAULT_FIRST = 20;
export const LARGEST_FIRST = 100;

export const FIRST_DESCRIPTION = `How many items to give at most, from 1 to ${LARGEST_FIRST}.`;
export const AFTER_DESCRIPTION = 'Go on after the item with this cursor; the other arguments must be those it was given with.';

/**
 * How many items a page shall have; null counts as not given.
 * @throws ApplicationError `invalid_parameter` for a number out of range.
 */
export function readFirst(first: number | null): number {
  if (first === null) return DEFAULT_FIRST;
  if (first >= 1 && first <= LARGEST_FIRST) return first;
  throw new ApplicationError('invalid_parameter', `first must be an integer from 1 to ${LARGEST_FIRST}.`);
}
