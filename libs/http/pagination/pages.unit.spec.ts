import fc from 'fast-check';
import { decodeCursor, encodeCursor } from './pages.js';

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const filter = fc.dictionary(fc.string(), fc.option(fc.string(), { nil: undefined }));

const refused = expect.objectContaining({ code: 'invalid_parameter', message: expect.stringContaining('cursor') }) as Error;

describe('a cursor', () => {
  it('gives back its id with the filter it was made for', () => {
    fc.assert(fc.property(int64, filter, (id, by) => expect(decodeCursor(encodeCursor(id, by), by)).toBe(id)));
  });

  it('does not depend on the order of the filter, nor on what is undefined in it', () => {
    const cursor = encodeCursor(7n, { status: 'sold', kind: 'cat' });
    expect(decodeCursor(cursor, { kind: 'cat', name: undefined, status: 'sold' })).toBe(7n);
  });

  it('is refused with another filter', () => {
    const cursor = encodeCursor(7n, { status: 'sold' });
    for (const other of [{}, { status: 'pending' }, { status: '' }, { kind: 'sold' }, { status: undefined }]) {
      expect(() => decodeCursor(cursor, other)).toThrow(refused);
    }
  });

  it('is refused when it is no cursor at all', () => {
    fc.assert(fc.property(fc.string(), (text) => expect(() => decodeCursor(text, {})).toThrow(refused)));
    for (const text of [`${encodeCursor(1n, {})}=`, ` ${encodeCursor(1n, {})}`, `${encodeCursor(1n, {})}A`, '']) {
      expect(() => decodeCursor(text, {})).toThrow(refused);
    }
  });
});
