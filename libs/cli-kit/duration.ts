import { ApplicationError } from '#libs/errors';

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const DURATION = /^([1-9]\d*)([smhd])$/;
const LONGEST_MILLISECONDS = 36_500 * UNITS.d;

/**
 * Reads a duration such as `30s`, `15m`, `24h` or `90d`: a whole number from 1 and one unit, 36500 days at most.
 * @returns milliseconds.
 * @throws ApplicationError `invalid_parameter` for anything else.
 */
export function parseDuration(text: string): number {
  const match = DURATION.exec(text);
  const milliseconds = match ? Number(match[1]) * UNITS[match[2] as keyof typeof UNITS] : Number.NaN;
  if (milliseconds <= LONGEST_MILLISECONDS) return milliseconds;
  throw new ApplicationError(
    'invalid_parameter',
    `"${text}" is not a duration: write a whole number and a unit, such as 30s, 15m, 24h or 90d (at most 36500d)`,
  );
}
