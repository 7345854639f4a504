import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';

const RFC_3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt](?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.(\d{1,9}))?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
const MILLISECOND_DIGITS = 3;

/** A `Date`, written as in RFC 3339 section 5.6; responses are in UTC with milliseconds. */
export const DateTimeScalar = new GraphQLScalarType<Date, string>({
  name: 'DateTime',
  description: 'A moment as RFC 3339 writes it, kept to the millisecond, such as `2026-06-01T12:00:00.000Z`.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
  serialize: (value) => {
    if (value instanceof Date) return value.toISOString();
    throw new TypeError('A DateTime must be given as a Date.');
  },
  parseValue: (value) => readDateTime(value),
  parseLiteral: (node) => readDateTime(node.kind === Kind.STRING ? node.value : undefined, node),
});

/** Finer fractions are cut off, so that a moment never gets later. */
function readDateTime(value: unknown, node?: ValueNode): Date {
  const match = typeof value === 'string' ? RFC_3339.exec(value) : null;
  if (match && isDay(Number(match[1]), Number(match[2]), Number(match[3]))) {
    const text = match[0]
      .toUpperCase()
      .replace(/\.(\d+)/, (_fraction, digits: string) => `.${digits.slice(0, MILLISECOND_DIGITS).padEnd(MILLISECOND_DIGITS, '0')}`);
    return new Date(text);
  }
  throw new GraphQLError('A DateTime must be written as RFC 3339 has it, such as "2026-06-01T12:00:00.000Z".', { nodes: node ?? null });
}

/** `Date` takes the 30th of February for a day in March. */
function isDay(year: number, month: number, day: number): boolean {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

/** Any JSON value, in responses only: no argument has this type. */
export const JsonScalar = new GraphQLScalarType<unknown, unknown>({
  name: 'JSON',
  description: 'A JSON value. An integer that a double might not hold is a string of decimal digits in it.',
  serialize: (value) => value,
});
