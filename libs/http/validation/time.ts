const UNESCAPED_PLUS = / (?=\d{2}:\d{2}$)/;
const LEAP_SECOND = /(?<=[Tt]\d{2}:\d{2}):60/;
const RFC_3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.(\d{1,9}))?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
const MILLISECOND_DIGITS = 3;
const MAX_YEAR = 9_999;

/**
 * Parses a moment as RFC 3339 section 5.6 writes it, to the millisecond: finer fractions are cut off, so that it never gets later. Returns
 * undefined for anything else, also for a day that its month does not have, or a moment whose year in UTC has no four digits.
 */
export function parseTime(text: string): Date | undefined {
  const match = RFC_3339.exec(text);
  if (!match || !isDay(Number(match[1]), Number(match[2]), Number(match[3]))) return undefined;
  const inMilliseconds = text
    .toUpperCase()
    .replace(/\.(\d+)/, (_fraction, digits: string) => `.${digits.slice(0, MILLISECOND_DIGITS).padEnd(MILLISECOND_DIGITS, '0')}`);
  const time = new Date(inMilliseconds);
  const year = time.getUTCFullYear();
  return year >= 0 && year <= MAX_YEAR ? time : undefined;
}

/** Returns what a text that is no time would have to be, to follow its name. */
export function expectedTime(given: unknown): string {
  const expected = 'must be a time as RFC 3339 writes it, such as 2026-06-01T12:00:00Z';
  if (typeof given !== 'string') return expected;
  if (parseTime(given.replace(UNESCAPED_PLUS, '+'))) return `${expected}; in a query, its + is written as %2B`;
  if (parseTime(given.replace(LEAP_SECOND, ':59'))) {
    return `${expected}; a leap second, :60, is not accepted: write the second before or after it`;
  }
  return expected;
}

/** `Date` takes the 30th of February for a day in March. */
function isDay(year: number, month: number, day: number): boolean {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}
