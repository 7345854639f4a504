import { parse } from 'graphql';
import fc from 'fast-check';
import { excessOf } from './document-shape.js';

/** A field with this many levels. */
function levels(count: number): string {
  return `${'a { '.repeat(count - 1)}a${' }'.repeat(count - 1)}`;
}

describe('the shape of a document', () => {
  it('is bounded by depth however it is cut into fragments', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), fc.nat(11), (depth, at) => {
        const cut = Math.min(at, depth - 1);
        const outer = cut === 0 ? '...F' : `${'a { '.repeat(cut)}...F${' }'.repeat(cut)}`;
        const documents = [
          `{ ${levels(depth)} }`,
          `{ ${outer} } fragment F on X { ${levels(depth - cut)} }`,
          `{ ... on X { ... { ${levels(depth)} } } }`,
        ];
        for (const document of documents) expect(excessOf(parse(document)) === undefined).toBe(depth <= 8);
      }),
    );
  });

  it('is that of the worst operation', () => {
    expect(excessOf(parse(`query A { a } query B { ${levels(9)} }`))).toMatch(/9 levels/);
  });

  it('measures introspection by its own bound, beside other fields too', () => {
    expect(excessOf(parse(`{ __schema { ${levels(15)} } ${levels(8)} }`))).toBeUndefined();
    expect(excessOf(parse(`{ __type(name: "X") { ${levels(16)} } }`))).toMatch(/introspection is 17/);
    expect(excessOf(parse(`{ ...F } fragment F on Query { __schema { ${levels(16)} } }`))).toMatch(/introspection is 17/);
  });

  it('counts an alias as often as its fragment is spread', () => {
    const spread = (count: number) => parse(`{ ${'...F '.repeat(count)} } fragment F on X { one: a }`);
    expect(excessOf(spread(15))).toBeUndefined();
    expect(excessOf(spread(16))).toBe('The operation has 16 aliases; the bound is 15.');
  });

  it('ends where fragments contain one another', () => {
    expect(excessOf(parse('{ ...F } fragment F on X { a { ...G } } fragment G on X { ...F }'))).toBeUndefined();
  });
});
