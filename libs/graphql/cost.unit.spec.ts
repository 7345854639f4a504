import { buildSchema, getOperationAST, parse } from 'graphql';
import { findExcessCost, operationCost } from './bounds.js';

const schema = buildSchema(`
  type Query { a: Int b: Int c: C pet: Pet pets(first: Int = 20, last: Int): Pets all(first: Int): [Pet] key: Key node: Node }
  type C { d: Int }
  type Pets { nodes: [Pet] }
  interface Node { history(first: Int = 10): [Event] }
  type Pet implements Node { id: ID name: String history(first: Int = 10): [Event] orders(first: Int = 20, last: Int): Orders }
  type Orders { nodes: [Order] edges: [Edge] }
  type Edge { node: Order }
  type Order { id: ID pet: Pet history(first: Int = 10): [Event] }
  type Event { type: String data: String }
  type Key { dailyUsage(days: Int! = 30): [Day] }
  type Day { date: String }
`);

function measured(text: string) {
  const document = parse(text);
  const operation = getOperationAST(document);
  if (!operation) throw new Error('The document has one operation.');
  return { document, operation };
}

describe('the cost of an operation', () => {
  it.each([
    ['{ a b c { d } }', 13],
    ['{ all { id } }', 10 + 100 * 6],
    ['{ pets(first: 5) { nodes { id name } } }', 10 + 5 * (5 + 12)],
    ['{ pets(first: 3) { nodes { history { type data } } } }', 10 + 3 * (5 + 10 + 10 + 10 * (5 + 2))],
    ['{ pets(first: 3) { nodes { ...F ... { id } } } } fragment F on Pet { id name }', 10 + 3 * (5 + 13)],
    ['{ ...F ...F } fragment F on Query { pet { history(first: 2) { type } } }', 2 * (20 + 2 * 6)],
    ['{ node { history { type data } } }', 20 + 10 * (5 + 2)],
    ['{ node { ...F } } fragment F on Node { history { type } }', 20 + 10 * 6],
    ['query($n: Int) { pets(first: $n) { __typename } }', 10 + 7 * 6, { n: 7 }],
    ['query($n: Int) { pets(first: $n) { __typename } }', 10 + 20 * 6],
    ['query($n: Int) { pets(first: $n) { __typename } }', 10 + 20 * 6, { n: null }],
    ['{ pets(first: 0) { __typename } }', 10 + 6],
    ['query($n: Int) { pets(first: $n) { __typename } }', 10 + 100 * 6, { n: 2_000_000_000 }],
    ['{ pets(last: 300) { __typename } }', 10 + 100 * 6],
    ['query($n: Int) { pets(last: $n) { __typename } }', 10 + 4 * 6, { n: 4 }],
    ['{ pets(first: 2, last: 3) { __typename } }', 10 + 3 * 6],
    ['{ key { dailyUsage(days: 400) { date } } }', 20 + 400 * 6],
  ])('of %s is %d', (text, cost, variables: Readonly<Record<string, unknown>> = {}) => {
    const { document, operation } = measured(text);
    expect(operationCost(schema, document, operation, variables)).toBe(cost);
  });

  it('is refused above the bound, at once for fragments that double one another too', () => {
    const doubling = Array.from({ length: 60 }, (_, index) => `fragment F${index} on Pet { ...F${index + 1} ...F${index + 1} }`).join(' ');
    const { document, operation } = measured(`{ pet { ...F0 } } ${doubling} fragment F60 on Pet { id }`);
    expect(findExcessCost(schema, document, operation)).toBe(
      'The operation costs 1152921504606847000; the bound on cost is 150000: ask for smaller pages, or for fewer fields below them.',
    );
  });
});
