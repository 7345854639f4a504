import { BatchedCache } from './batched-cache.js';

function cacheOf(stored: Map<string, string>, capacity = 10) {
  const time = { now: 0 };
  const reads: (readonly string[])[] = [];
  const cache = new BatchedCache<string>({
    read: (keys) => {
      reads.push(keys);
      return Promise.resolve(new Map([...stored].filter(([key]) => keys.includes(key))));
    },
    askAgainAfter: 60_000,
    batch: 3,
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
    const time = { now: 0 };
    const read = () => {
      time.now += 400;
      return Promise.resolve(new Map([['a', 'value']]));
    };
    const cache = new BatchedCache<string>({
      read,
      askAgainAfter: 60_000,
      batch: 3,
      trustedFor: 500,
      capacity: 10,
      elapsed: () => time.now,
    });
    await cache.get('a');
    expect(cache.get('a')).toBe('value');
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
    expect(reads).toEqual([['a']]);
  });

  it('reads once at a time, and together what is asked for meanwhile, in its order', async () => {
    const readings: { readonly keys: readonly string[]; end(): void }[] = [];
    const read = (keys: readonly string[]) =>
      new Promise<Map<string, string>>((resolve) => readings.push({ keys, end: () => resolve(new Map(keys.map((key) => [key, key]))) }));
    const cache = new BatchedCache<string>({ read, askAgainAfter: 60_000, batch: 3, trustedFor: 500, capacity: 10, elapsed: () => 0 });
    const begun = async (count: number) => {
      while (readings.length < count) await new Promise((resolve) => setImmediate(resolve));
    };
    const first = cache.get('a');
    await begun(1);
    const later = Promise.all(['b', 'c', 'd', 'e', 'b'].map(async (key) => cache.get(key)));
    await new Promise((resolve) => setImmediate(resolve));
    expect(readings.map(({ keys }) => keys)).toEqual([['a']]);

    readings[0]?.end();
    await begun(2);
    readings[1]?.end();
    await begun(3);
    readings[2]?.end();
    expect(await first).toBe('a');
    expect(await later).toEqual(['b', 'c', 'd', 'e', 'b']);
    expect(readings.map(({ keys }) => keys)).toEqual([['a'], ['b', 'c', 'd'], ['e']]);
  });

  it('reads again for who asks after a reading began', async () => {
    const stored = new Map<string, string>();
    let begin: () => void = () => undefined;
    const beginning = new Promise<void>((resolve) => (begin = resolve));
    const read = () => {
      begin();
      return Promise.resolve(new Map(stored));
    };
    const cache = new BatchedCache<string>({ read, askAgainAfter: 60_000, batch: 3, trustedFor: 500, capacity: 10, elapsed: () => 0 });
    const before = cache.get('a');
    await beginning;
    stored.set('a', 'made just now');
    expect(await cache.get('a')).toBe('made just now');
    expect(await before).toBeUndefined();
  });

  it('gives a failed reading to those who wait and tries again for the next', async () => {
    let fails = true;
    const read = () => (fails ? Promise.reject(new Error('locked')) : Promise.resolve(new Map([['a', 'value']])));
    const cache = new BatchedCache<string>({ read, askAgainAfter: 60_000, batch: 3, trustedFor: 500, capacity: 10, elapsed: () => 0 });
    await expect(cache.get('a')).rejects.toThrow('locked');
    fails = false;
    expect(await cache.get('a')).toBe('value');
  });

  it('reads again beside a reading that is stuck, and once after one that failed', async () => {
    const stuck = [new Promise<Map<string, string>>(() => undefined), Promise.reject(new Error('cut'))];
    for (const first of stuck) {
      first.catch(() => undefined);
      const readings = [first, Promise.resolve(new Map([['a', 'value']]))];
      const read = () => readings.shift() ?? Promise.reject(new Error('asked a third time'));
      const cache = new BatchedCache<string>({ read, askAgainAfter: 1, batch: 3, trustedFor: 500, capacity: 10, elapsed: () => 0 });
      expect(await cache.get('a')).toBe('value');
    }
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
