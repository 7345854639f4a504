import { ValidateBy } from 'class-validator';

export const INT64_MIN = -(2n ** 63n);
export const INT64_MAX = 2n ** 63n - 1n;

const PLAIN_INTEGER = /^(?:0|-?[1-9]\d{0,18})$/;

/**
 * Reads an int64 written as plain decimal digits: no sign but a leading `-`, no leading zero, no fraction,
 * no exponent, no `-0`. Returns undefined for anything else, also for what lies outside int64.
 */
export function parseInt64(text: string): bigint | undefined {
  if (!PLAIN_INTEGER.test(text)) return undefined;
  const value = BigInt(text);
  return value >= INT64_MIN && value <= INT64_MAX ? value : undefined;
}

/** The property is a bigint within int64. */
export function IsInt64(): PropertyDecorator {
  return ValidateBy(
    {
      name: 'isInt64',
      validator: {
        validate: (value: unknown) => typeof value === 'bigint' && value >= INT64_MIN && value <= INT64_MAX,
        defaultMessage: (argument) =>
          `${argument?.property ?? 'value'} must be an integer from ${INT64_MIN} to ${INT64_MAX}, written in plain digits`,
      },
    },
    { context: { schema: { type: 'integer', format: 'int64' } } },
  );
}
