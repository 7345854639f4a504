import { ValidateBy } from 'class-validator';

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const DURATION = /^(0|[1-9]\d*)([smhd])$/;
const LONGEST_MILLISECONDS = 36_500 * UNITS.d;

/**
 * Milliseconds of a text such as `0s`, `30s`, `15m`, `24h` or `90d`: a whole number and one unit, 36500 days at most. Undefined for anything
 * else.
 */
export function durationOf(text: string): number | undefined {
  const match = DURATION.exec(text);
  const milliseconds = match ? Number(match[1]) * UNITS[match[2] as keyof typeof UNITS] : Number.NaN;
  return milliseconds <= LONGEST_MILLISECONDS ? milliseconds : undefined;
}

/**
 * The property is a text that `durationOf` reads, and is not longer.
 * @param longest such as `7d`
 */
export function IsDuration(longest: string): PropertyDecorator {
  const maximum = durationOf(longest) ?? 0;
  return ValidateBy(
    {
      name: 'isDuration',
      validator: {
        validate: (value: unknown) => typeof value === 'string' && (durationOf(value) ?? Infinity) <= maximum,
        defaultMessage: (argument) =>
          `${argument?.property ?? 'value'} must be a whole number and a unit, such as 0s, 90m or 24h, at most ${longest}`,
      },
    },
    { context: { schema: { type: 'string', maxLength: `${maximum / UNITS.s}s`.length, pattern: DURATION.source } } },
  );
}
