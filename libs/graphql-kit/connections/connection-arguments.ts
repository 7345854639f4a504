export const DEFAULT_FIRST = 20;
export const LARGEST_FIRST = 100;

export const FIRST_DESCRIPTION = `How many items to give at most, from 1 to ${LARGEST_FIRST}.`;
export const AFTER_DESCRIPTION = 'Go on after the item with this cursor; the other arguments must be those it was given with.';
