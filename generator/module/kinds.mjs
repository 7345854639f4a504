/**
 * What a field of each kind is in each place. `value` is an expression of its value, `stored` one of what an event has; both are written
 * for a field that is given. `samples` are three values as JSON.
 */
const same = (expression) => expression;

export const KINDS = {
  text: {
    type: 'string',
    rule: '@IsText(255)',
    description: (what) => `${what}, kept exactly as sent. 1 to 255 Unicode characters, not blank, without U+0000 and lone surrogates.`,
    event: "'text'",
    toEvent: same,
    fromEvent: same,
    column: 'columnTypes.text',
    graphql: 'String',
    graphqlType: 'string',
    toGraphql: same,
    option: () => undefined,
    samples: ['"First"', '"Second"', '"Third"'],
  },
  int64: {
    type: 'bigint',
    rule: '@IsInt64()',
    description: (what) => `${what}; any int64, written in digits.`,
    event: "'int64'",
    toEvent: (value) => `${value}.toString()`,
    fromEvent: (stored) => `BigInt(${stored})`,
    column: 'columnTypes.int64',
    graphql: 'ID',
    graphqlType: 'string',
    toGraphql: (value) => `${value}.toString()`,
    option: (name) => `int64('${name}')`,
    samples: ['1', '2', '3'],
  },
  time: {
    type: 'Date',
    rule: '@IsTime()',
    description: (what) => `${what}, as RFC 3339 writes it; kept to the millisecond.`,
    event: "'time'",
    toEvent: (value) => `${value}.toISOString()`,
    fromEvent: (stored) => `new Date(${stored})`,
    column: 'columnTypes.time',
    graphql: 'DateTimeScalar',
    graphqlType: 'Date',
    toGraphql: same,
    option: (name) => `time('${name}')`,
    // Within the 12 hours after the clock of the tests by which a request is repeated, so that a rule about time turns meanwhile.
    samples: ['"2026-06-01T20:00:00.000Z"', '"2026-06-01T21:00:00.000Z"', '"2026-06-01T22:00:00.000Z"'],
    // The command line goes by the clock of the machine.
    typed: ['2099-06-01T12:00:00.000Z', '2099-06-02T12:00:00.000Z'],
  },
  boolean: {
    type: 'boolean',
    rule: '@IsBoolean()',
    description: (what) => `${what}.`,
    event: "'boolean'",
    toEvent: same,
    fromEvent: same,
    column: 'columnTypes.boolean',
    graphql: 'Boolean',
    graphqlType: 'boolean',
    toGraphql: same,
    option: (name) => `trueOrFalse('${name}')`,
    samples: ['true', 'false', 'true'],
  },
};

/** The kind of a field with one of some words. @param names of the list of words, the type and the GraphQL type */
export function wordKind(words, { list, type, graphql }) {
  return {
    type,
    rule: `@IsIn(${list})`,
    description: (what) => `${what}: ${words.slice(0, -1).join(', ')} or ${words.at(-1)}.`,
    event: list,
    toEvent: same,
    fromEvent: same,
    column: 'columnTypes.text',
    graphql,
    graphqlType: type,
    toGraphql: same,
    option: () => undefined,
    samples: [words[0], words[1], words[0]].map((word) => `"${word}"`),
    words,
    list,
  };
}
