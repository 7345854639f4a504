const RFC_3339 =
  /^(\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
const MAX_YEAR = 9_999;

/** What a text that is no time would have to be, to follow its name. */
export const EXPECTED_TIME =
  'must be a time as RFC 3339 writes it, such as 2026-06-01T12:00:00Z, without a leap second, and in a query with %2B for +';

/**
 * Parses a moment as RFC 3339 section 5.6 writes it, to the millisecond: finer fractions are cut off, so that it never gets later. Returns
 * undefined for anything else, also for a day that its month does not have, or a moment whose year in UTC has no four digits.
 */
export function parseTime(text: string): Date | undefined {
  const [, day] = RFC_3339.exec(text) ?? [];
  // `Date` takes the 30th of February for a day in March.
  if (day === undefined || !new Date(day).toISOString().startsWith(day)) return undefined;
  const time = new Date(text.toUpperCase().replace(/(?<=\.\d{3})\d+/, ''));
  const year = time.getUTCFullYear();
  return year >= 0 && year <= MAX_YEAR ? time : undefined;
}
