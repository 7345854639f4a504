import { buildSchema, getOperationAST, parse } from 'graphql';
import { findExcessShape, operationCost } from './bounds.js';

/** A field with this many levels. */
function levels(count: number): string {
  return `${'a { '.repeat(count - 1)}a${' }'.repeat(count - 1)}`;
}

describe('the shape of a document', () => {
  it.each([
    ['the worst operation', `query A { a } query B { ${levels(9)} }`, 'The operation is 9 levels deep; the bound on depth is 8.'],
    ['introspection beside other fields', `{ __schema { ${levels(15)} } ${levels(8)} }`, undefined],
    ['introspection of a type', `{ __type(name: "X") { ${levels(16)} } }`, expect.stringMatching(/introspection is 17/)],
    [
      'introspection in a fragment',
      `{ ...F } fragment F on Query { __schema { ${levels(16)} } }`,
      expect.stringMatching(/introspection is 17/),
    ],
    ['aliases in a fragment, each time', `{ ${'...F '.repeat(15)} } fragment F on X { one: a }`, undefined],
  ])('is that of %s', (_, document, excess) => {
    expect(findExcessShape(parse(document))).toEqual(excess);
  });
});

describe('the cost of an operation', () => {
  const schema = buildSchema(`
    type Query { pets(first: Int = 20): [String] events(first: Int = 20): [String] }
    type Pet { history(first: Int = 10): [String] all(first: Int): [String] }
  `);

  it.each([
    ['{ a b c { d } }', 4],
    ['{ pets { id } }', 21],
    ['{ all { id } }', 101],
    ['{ pets(first: 5) { nodes { id name } } }', 1 + 5 * 3],
    ['{ pets(first: 5) { events(first: 3) { id } } }', 1 + 5 * (1 + 3)],
    ['{ pet { history(first: 30) { type } } }', 1 + 1 + 30],
    ['{ pets(first: 2) { history { type data } } }', 1 + 2 * (1 + 10 * 2)],
    ['{ pets(first: 3) { ...F ... { id } } } fragment F on Pet { id name }', 1 + 3 * 3],
    ['query($n: Int) { pets(first: $n) { id } }', 8, { n: 7 }],
    ['query($n: Int) { pets(first: $n) { id } }', 21],
    ['query($n: Int) { pets(first: $n) { id } }', 21, { n: null }],
    ['{ pets(first: 0) { id } }', 2],
    ['query($n: Int) { pets(first: $n) { id } }', 101, { n: 2_000_000_000 }],
  ])('of %s is %d', (text, cost, variables: Readonly<Record<string, unknown>> = {}) => {
    const document = parse(text);
    const operation = getOperationAST(document);
    expect(operation && operationCost(schema, document, operation, variables)).toBe(cost);
  });
});
