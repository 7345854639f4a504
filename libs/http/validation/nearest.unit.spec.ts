import fc from 'fast-check';
import { nearest } from './nearest.js';

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd', 'é', '🐕'), maxLength: 8 });

/** The known word with one mistake in typing at a place of it. */
const mistaken = fc
  .tuple(word, fc.nat(), fc.constantFrom('add', 'remove', 'replace', 'swap'))
  .map(([known, place, mistake]): [known: string, typed: string] => {
    const characters = [...known];
    const index = characters.length === 0 ? 0 : place % characters.length;
    const [character = '', next = ''] = characters.slice(index, index + 2);
    if (mistake === 'add') characters.splice(index, 0, 'x');
    if (mistake === 'remove') characters.splice(index, 1);
    if (mistake === 'replace') characters.splice(index, 1, 'x');
    if (mistake === 'swap') characters.splice(index, 2, next, character);
    return [known, characters.join('')];
  });

describe('nearest', () => {
  it.each([
    ['pet-added-2', 'pet-added'],
    ['Pet-Added', 'pet-added'],
    ['pet-withdrawal', 'pet-withdrawn'],
    ['order-placed', undefined],
    ['', undefined],
  ])('finds what was meant by %j: %s', (typed, expected) => {
    expect(nearest(typed, ['order-placed', 'pet-added', 'pet-withdrawn'])).toBe(expected);
  });

  it('takes the nearest within the limit, and the first of several', () => {
    expect(nearest('abcd', ['wxyz'])).toBeUndefined();
    expect(nearest('abcd', ['abxy'], () => 1)).toBeUndefined();
    expect(nearest('cat', ['catty', 'cut', 'car'])).toBe('cut');
  });

  it('finds a word behind each single mistake', () => {
    fc.assert(
      fc.property(mistaken, ([known, typed]) => {
        expect(nearest(typed, [known], () => 1)).toBe(typed === known ? undefined : known);
      }),
    );
  });

  it('finds nothing for a word that is known', () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 1 }), fc.nat(), (known, place) => {
        expect(nearest(known[place % known.length] ?? '', known)).toBeUndefined();
      }),
    );
  });
});
