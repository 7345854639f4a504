/**
 * What a field of each kind is in each place. `samples` are three values as JSON.
 */
export const KINDS = {
  text: {
    type: 'string',
    rule: '@IsText(255)',
    description: (what) => `${what}, kept exactly as sent. 1 to 255 Unicode characters, not blank, without U+0000 and lone surrogates.`,
    event: "'text'",
    column: 'columnTypes.text',
    graphql: 'String',
    graphqlType: 'string',
    option: () => undefined,
    samples: ['"First"', '"Second"', '"Third"'],
  },
  int64: {
    type: 'bigint',
    rule: '@IsInt64()',
    description: (what) => `${what}; any int64, written in digits.`,
    event: "'int64'",
    column: 'columnTypes.int64',
    graphql: 'ID',
    graphqlType: 'string',
    option: (name) => `int64('${name}')`,
    samples: ['1', '2', '3'],
  },
  time: {
    type: 'Date',
    rule: '@IsTime()',
    description: (what) => `${what}, as RFC 3339 writes it; kept to the millisecond.`,
    event: "'time'",
    column: 'columnTypes.time',
    graphql: 'DateTimeScalar',
    graphqlType: 'Date',
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
    column: 'columnTypes.boolean',
    graphql: 'Boolean',
    graphqlType: 'boolean',
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
    column: 'columnTypes.text',
    graphql,
    graphqlType: type,
    option: () => undefined,
    samples: [words[0], words[1], words[0]].map((word) => `"${word}"`),
    words,
    list,
  };
}
