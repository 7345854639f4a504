import { parse } from 'graphql';
import { DocumentCache } from './document-cache.js';

describe('the cache of documents', () => {
  it('keeps no more than its capacity; the one used longest ago goes first', async () => {
    const cache = new DocumentCache(2);
    for (const key of ['a', 'b']) await cache.set(key, parse(`{ ${key} }`));
    await cache.get('a');
    await cache.set('c', parse('{ c }'));
    expect(await Promise.all(['a', 'b', 'c'].map(async (key) => (await cache.get(key)) !== undefined))).toEqual([true, false, true]);
  });
});
