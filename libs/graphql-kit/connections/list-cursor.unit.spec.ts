import fc from 'fast-check';
import { ListCursor } from './list-cursor.js';

describe('a cursor', () => {
  const sold = new ListCursor('pets', { status: 'sold' });

  it('is read back by its own list', () => {
    fc.assert(fc.property(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), (id) => sold.decode(sold.encode(id)) === id));
  });

  it.each([new ListCursor('pets', {}), new ListCursor('pets', { status: 'pending' }), new ListCursor('events', { status: 'sold' })])(
    'is refused by another list or filter',
    (other) => {
      expect(() => other.decode(sold.encode(7n))).toThrow(
        expect.objectContaining({ code: 'invalid_parameter', message: expect.stringMatching(/^after /) }),
      );
    },
  );
});
