import fc from 'fast-check';
import { getInputSchema } from '../validation/rules.js';
import { filteredPageRequest } from './filtered-pages.js';
import { decodeCursor, encodeCursor } from './pages.js';

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const filter = fc.dictionary(fc.string(), fc.option(fc.string(), { nil: undefined }));

describe('the order of a list', () => {
  it('is described as that of a time that filters it', () => {
    const { order } = getInputSchema(filteredPageRequest({})).properties;
    expect(order).toMatchObject({ description: expect.stringContaining('with a filter by time by that time') });
  });
});

describe('a cursor', () => {
  const refused = expect.objectContaining({ code: 'invalid_parameter', message: expect.stringContaining('cursor') }) as Error;

  it('gives back its id with the filter it was made for, in any order', () => {
    fc.assert(fc.property(int64, filter, (id, by) => expect(decodeCursor(encodeCursor(id, by), by)).toBe(id)));
    const cursor = encodeCursor(7n, { status: 'sold', kind: 'cat' });
    expect(decodeCursor(cursor, { kind: 'cat', name: undefined, status: 'sold' })).toBe(7n);
  });

  it('is refused with another filter, and when it is none', () => {
    const cursor = encodeCursor(7n, { status: 'sold' });
    for (const other of [{}, { status: 'pending' }, { status: '' }, { kind: 'sold' }, { status: undefined }]) {
      expect(() => decodeCursor(cursor, other)).toThrow(refused);
    }
    fc.assert(fc.property(fc.string(), (text) => expect(() => decodeCursor(text, {})).toThrow(refused)));
    expect(() => decodeCursor(cursor, { status: 'sold' }, '/v1/others')).toThrow(refused);
    const plain = encodeCursor(1n, {});
    for (const text of [`${plain}=`, ` ${plain}`, `${plain}A`]) expect(() => decodeCursor(text, {})).toThrow(refused);
  });
});
