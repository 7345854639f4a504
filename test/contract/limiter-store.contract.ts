import type { RecordedBan } from '../../src/auth/index.js';
import type { LimiterStore } from '../../src/rate-limiting/store/limiter.store.js';

/** A store that counts, with no bans before the second refusal of a minute, which brings one for a minute, then one for ten. */
export interface LimiterStoreUnderTest {
  readonly store: LimiterStore;
  close(): Promise<void>;
}

export const CONTRACT_BANS = { after: 1, grace: 0, ladder: [60_000, 600_000] };

const START = Date.UTC(2026, 0, 1, 12);
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const NO_BAN: RecordedBan = { until: 0, step: 0, unbans: 0 };

/** What every store has to do; `open` gives an empty one. */
export function describeLimiterStoreContract(name: string, open: () => Promise<LimiterStoreUnderTest>): void {
  describe(`the limiter store ${name}`, () => {
    let opened: LimiterStoreUnderTest;
    beforeEach(async () => (opened = await open()));
    afterEach(() => opened.close());

    const key = (keyId: bigint, limits = { perMinute: 2, perDay: 3 }, ban = NO_BAN) => ({ keyId, limits, ban });
    const address = (text: string) => ({ address: text, limits: { perMinute: 2, perDay: 3 } });
    const decide = async (...parameters: Parameters<LimiterStore['decide']>) => opened.store.decide(...parameters);
    const outcomes = async (count: number, ...parameters: Parameters<LimiterStore['decide']>) =>
      (await Promise.all(Array.from({ length: count }, () => decide(...parameters)))).map(({ outcome }) => outcome);
    const provoke = (now: number, ban = NO_BAN) => outcomes(4, key(1n, undefined, ban), now);

    it('lets through exactly as many of simultaneous requests as both windows allow', async () => {
      const limits = { perMinute: 50, perDay: 70 };
      const admitted = async (now: number) =>
        (await outcomes(200, { ...address('192.0.2.1'), limits }, now)).filter((o) => o === 'admitted');
      expect(await admitted(START)).toHaveLength(50);
      expect(await admitted(START + MINUTE)).toHaveLength(20);
      expect(await admitted(START + DAY)).toHaveLength(50);
    });

    it('tells both windows and when it was decided, of each key and each address by itself', async () => {
      await decide(key(1n), START);
      await decide(key(2n), START);
      await decide(address('1'), START);
      expect(await decide(key(1n), START + 1_500)).toEqual({
        outcome: 'admitted',
        at: START + 1_500,
        windows: { minute: { limit: 2, used: 2, endsAt: START + MINUTE }, day: { limit: 3, used: 2, endsAt: START + DAY / 2 } },
        bannedUntil: 0,
      });
    });

    it('bans a key once for one burst, and says so to the request that brought it', async () => {
      const decisions = await Promise.all(Array.from({ length: 50 }, () => decide(key(1n), START)));
      const newBan = { until: START + MINUTE, step: 1, unbans: 0 };
      expect(decisions.flatMap((decision) => decision.newBan ?? [])).toEqual([newBan]);
      expect(await decide(key(1n), START + MINUTE - 1)).toMatchObject({ outcome: 'banned', bannedUntil: newBan.until });
      expect(await outcomes(2, key(1n), START + MINUTE)).toEqual(['admitted', 'refused']);
    });

    it('takes over a ban that the log has, and goes on from its step', async () => {
      const ban = { until: START + MINUTE, step: 1, unbans: 0 };
      expect(await outcomes(2, key(1n, undefined, ban), START)).toEqual(['banned', 'banned']);
      expect(await outcomes(1, key(1n), START)).toEqual(['banned']);
      await provoke(START + MINUTE, ban);
      expect(await decide(key(1n, undefined, ban), START + 2 * MINUTE)).toMatchObject({ bannedUntil: START + MINUTE + 600_000 });
    });

    it('ends a ban that was lifted, for whoever heard of that and whoever did not yet', async () => {
      await provoke(START);
      expect(await outcomes(1, key(1n), START)).toEqual(['banned']);
      expect(await outcomes(1, key(1n, undefined, { ...NO_BAN, unbans: 1 }), START)).toEqual(['refused']);
      expect(await outcomes(1, key(1n, undefined, { until: START + MINUTE, step: 1, unbans: 0 }), START)).not.toEqual(['admitted']);
      expect(await outcomes(1, key(1n, { perMinute: 9, perDay: 9 }, { ...NO_BAN, unbans: 2 }), START)).toEqual(['admitted']);
    });

    it('tells without counting', async () => {
      const inspect = async (...parameters: Parameters<LimiterStore['inspect']>) => opened.store.inspect(...parameters);
      expect(await inspect(key(9n), START)).toMatchObject({ at: START, windows: { minute: { used: 0 } }, bannedUntil: 0 });
      await decide(key(9n), START);
      await inspect(key(9n), START);
      expect(await inspect(key(9n), START)).toMatchObject({ windows: { minute: { used: 1 }, day: { used: 1 } } });
      expect(await inspect(address('192.0.2.1'), START)).toMatchObject({ windows: { day: { used: 0 } } });
      expect(await inspect(key(8n, undefined, { until: START + 1, step: 1, unbans: 0 }), START)).toMatchObject({ bannedUntil: START + 1 });
    });

    it('lets through exactly as many simultaneous hits on a route as are allowed, for each name by itself', async () => {
      const hits = async (name: string, now: number) =>
        Promise.all(Array.from({ length: 20 }, async () => opened.store.hit(name, { limit: 5, length: 1_000 }, now)));
      const admitted = async (name: string, now: number) => (await hits(name, now)).filter((decision) => decision.admitted).length;
      expect([await admitted('one', START), await admitted('two', START), await admitted('one', START + 1_000)]).toEqual([5, 5, 5]);
      expect((await hits('one', START + 1_900)).at(-1)).toEqual({ at: START + 1_900, admitted: false, hits: 5, endsAt: START + 2_000 });
    });

    it('refuses hits on a route for as long as a handler asks', async () => {
      const hit = async (now: number) => opened.store.hit('slow', { limit: 1, length: 1_000, blockedFor: 5_000 }, now);
      expect((await hit(START)).admitted).toBe(true);
      expect(await hit(START + 10)).toEqual({ at: START + 10, admitted: false, hits: 1, endsAt: START + 5_010 });
      expect([(await hit(START + 5_009)).admitted, (await hit(START + 5_010)).admitted]).toEqual([false, true]);
    });
  });
}
