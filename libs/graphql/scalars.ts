import { registerEnumType } from '@nestjs/graphql';
import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import { expectedTime, parseTime } from '#libs/http';

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
  throw new GraphQLError(`A DateTime ${expectedTime(value)}.`, { nodes: node ?? null });
}

/** Any JSON value, in responses only: no argument has this type. */
export const JsonScalar = new GraphQLScalarType<unknown, unknown>({
  name: 'JSON',
  description: 'A JSON value. An integer that a double might not hold is a string of decimal digits in it.',
  serialize: (value) => value,
});

/**
 * Registers an enum type of GraphQL whose values are words, such as `ON_LEAVE` for `on-leave`.
 * @param words the words, or what each of them means
 * @returns the type as fields name it
 */
export function enumType<Word extends string>(
  name: string,
  description: string,
  words: readonly Word[] | Readonly<Record<Word, string>>,
): Readonly<Record<string, Word>> {
  const toName = (word: string) => word.replaceAll('-', '_').toUpperCase();
  const isList = Array.isArray(words);
  const values = Object.fromEntries((isList ? words : (Object.keys(words) as Word[])).map((word: Word) => [toName(word), word]));
  const meanings = isList ? [] : Object.entries<string>(words as Readonly<Record<Word, string>>);
  const valuesMap = Object.fromEntries(meanings.map(([word, meaning]) => [toName(word), { description: meaning }]));
  registerEnumType(values, { name, description, valuesMap });
  return values;
}
