import { nextLink } from './next-link.js';

describe('nextLink', () => {
  it('points at the path with its parameters, encoded and in order, without undefined ones', () => {
    expect(nextLink('/v1/pets', { limit: '20', status: undefined, cursor: 'a&b>' })).toBe(
      '</v1/pets?limit=20&cursor=a%26b%3E>; rel="next"',
    );
  });
});
