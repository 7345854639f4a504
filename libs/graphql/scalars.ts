import { registerEnumType } from '@nestjs/graphql';
import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import { EXPECTED_TIME, parseTime } from '#libs/http';

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

function readDateTime(value: unknown, node?: ValueNode): Date {
  const time = typeof value === 'string' ? parseTime(value) : undefined;
  if (time) return time;
  throw new GraphQLError(`A DateTime ${EXPECTED_TIME}.`, { nodes: node ?? null });
}

/** Any JSON value, in responses only: no argument has this type. */
export const JsonScalar = new GraphQLScalarType<unknown, unknown>({
  name: 'JSON',
  description: 'A JSON value. An integer that a double might not hold is a string of decimal digits in it.',
  serialize: (value) => value,
});

/**
 * Registers an enum type of GraphQL whose values are words, such as `ON_LEAVE` for `on-leave`.
 * @returns the type as fields name it
 */
export function enumType<Word extends string>(name: string, words: readonly Word[], description: string): Readonly<Record<string, Word>> {
  const values = Object.fromEntries(words.map((word) => [word.replaceAll('-', '_').toUpperCase(), word]));
  registerEnumType(values, { name, description });
  return values;
}
