import { GraphQLScalarType } from 'graphql';

/** Any JSON value as it is. Answers only: no argument has it. */
export const JsonScalar = new GraphQLScalarType<unknown, unknown>({
  name: 'JSON',
  description: 'A JSON value. An integer that a double might not hold is a string of decimal digits in it.',
  serialize: (value) => value,
});
