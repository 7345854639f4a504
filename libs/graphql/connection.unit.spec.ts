import fc from 'fast-check';
import { ConnectionRequest } from './connection.js';

const page = (id: bigint) => ({ items: [{ id }], next: undefined });

function cursorOf(id: bigint, list = 'pets', filter: object = { status: 'sold' }): string {
  const request = new ConnectionRequest(list, {}, filter);
  return request.connection(page(id), String, (item) => item.id).pageInfo.endCursor ?? '';
}

describe('a cursor', () => {
  it('is read back by its own list', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), (id) => {
        const { range } = new ConnectionRequest('pets', { after: cursorOf(id) }, { status: 'sold' });
        return range.after === id && range.status === 'sold' && range.limit === 20;
      }),
    );
  });

  it.each([
    ['pets', {}],
    ['pets', { status: 'pending' }],
    ['events', { status: 'sold' }],
  ])('is refused by another list or filter: %s %j', (list, filter) => {
    expect(() => new ConnectionRequest(list, { after: cursorOf(7n) }, filter)).toThrow(
      expect.objectContaining({ code: 'invalid_parameter', message: expect.stringMatching(/^after /) }),
    );
  });
});
