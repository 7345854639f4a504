import { FreshCache } from './fresh-cache.js';

function cacheOf(stored: Map<string, string>, capacity = 10) {
  const time = { now: 0 };
  const reads: string[] = [];
  const cache = new FreshCache<string>({
    read: (key) => {
      reads.push(key);
      return Promise.resolve(stored.get(key));
    },
    trustedFor: 500,
    capacity,
    elapsed: () => time.now,
  });
  return { cache, reads, time };
}

describe('the cache of what was read a moment ago', () => {
  it('answers without a promise for 500 ms, then reads again', async () => {
    const stored = new Map([['a', 'old']]);
    const { cache, time } = cacheOf(stored);
    expect(await cache.get('a')).toBe('old');
    stored.set('a', 'new');
    time.now = 500;
    expect(cache.get('a')).toBe('old');
    time.now = 501;
    expect(cache.get('a')).toBeInstanceOf(Promise);
    expect(await cache.get('a')).toBe('new');
    expect(cache.get('a')).toBe('new');
  });

  it('counts the trust from the moment the reading began', async () => {
    const { cache, time } = cacheOf(new Map([['a', 'value']]));
    const reading = cache.get('a');
    time.now = 400;
    await reading;
    time.now = 501;
    expect(cache.get('a')).toBeInstanceOf(Promise);
  });

  it('never keeps that there is none', async () => {
    const stored = new Map<string, string>();
    const { cache } = cacheOf(stored);
    expect(await cache.get('a')).toBeUndefined();
    stored.set('a', 'made just now');
    expect(await cache.get('a')).toBe('made just now');
  });

  it('forgets a value that is gone at the next reading', async () => {
    const stored = new Map([['a', 'value']]);
    const { cache, time } = cacheOf(stored);
    await cache.get('a');
    stored.delete('a');
    time.now = 501;
    expect(await cache.get('a')).toBeUndefined();
    expect(cache.get('a')).toBeInstanceOf(Promise);
  });

  it('shares one reading among those who ask at the same time', async () => {
    const { cache, reads } = cacheOf(new Map([['a', 'value']]));
    expect(await Promise.all([cache.get('a'), cache.get('a'), cache.get('a')])).toEqual(['value', 'value', 'value']);
    expect(reads).toEqual(['a']);
  });

  it('gives a failed reading to those who wait and tries again for the next', async () => {
    let fails = true;
    const read = () => (fails ? Promise.reject(new Error('locked')) : Promise.resolve('value'));
    const cache = new FreshCache<string>({ read, trustedFor: 500, capacity: 10, elapsed: () => 0 });
    await expect(cache.get('a')).rejects.toThrow('locked');
    fails = false;
    expect(await cache.get('a')).toBe('value');
  });

  it('keeps no more than its capacity, dropping the one read longest ago', async () => {
    const { cache } = cacheOf(new Map(['a', 'b', 'c'].map((key) => [key, key])), 2);
    for (const key of ['a', 'b', 'c']) await cache.get(key);
    expect(cache.get('c')).toBe('c');
    expect(cache.get('b')).toBe('b');
    expect(cache.get('a')).toBeInstanceOf(Promise);
  });

  it('takes a value that was read again for a newer one', async () => {
    const { cache, time } = cacheOf(new Map(['a', 'b', 'c'].map((key) => [key, key])), 2);
    await cache.get('a');
    await cache.get('b');
    time.now = 501;
    await cache.get('a');
    await cache.get('c');
    expect(cache.get('a')).toBe('a');
  });
});
