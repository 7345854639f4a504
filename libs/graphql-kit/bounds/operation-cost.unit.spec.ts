import { getOperationAST, parse } from 'graphql';
import { costOf } from './operation-cost.js';

function cost(text: string, variables: Readonly<Record<string, unknown>> = {}): number {
  const document = parse(text);
  const operation = getOperationAST(document);
  if (!operation) throw new Error('The document has no operation.');
  return costOf({ document, operation, variables, pagedFields: new Map(Object.entries({ pets: 20, events: 20, history: 10 })) });
}

describe('the cost of an operation', () => {
  it.each([
    ['{ a b c { d } }', 4],
    ['{ pets { id } }', 21],
    ['{ pets(first: 5) { nodes { id name } } }', 1 + 5 * 3],
    ['{ pets(first: 5) { events(first: 3) { id } } }', 1 + 5 * (1 + 3)],
    ['{ pet { history { type } } }', 1 + 1 + 10],
    ['{ pet { history(first: 30) { type } } }', 1 + 1 + 30],
    ['{ pets(first: 2) { history { type data } } }', 1 + 2 * (1 + 10 * 2)],
    ['{ pets(first: 3) { ...F ... { id } } } fragment F on Pet { id name }', 1 + 3 * 3],
  ])('of %s is %d', (text, expected) => {
    expect(cost(text)).toBe(expected);
  });

  it('takes first from a variable, and its default where that is absent or null', () => {
    expect(cost('query($n: Int) { pets(first: $n) { id } }', { n: 7 })).toBe(8);
    expect(cost('query($n: Int) { pets(first: $n) { id } }')).toBe(21);
    expect(cost('query($n: Int) { pets(first: $n) { id } }', { n: null })).toBe(21);
    expect(cost('{ pets(first: null) { id } }')).toBe(21);
  });

  it('leaves a first that is out of range to the field that refuses it', () => {
    expect(cost('{ pets(first: 2000000000) { id } }')).toBe(101);
    expect(cost('{ pets(first: -5) { id } }')).toBe(2);
  });
});
