import type { DatabaseLocation } from '#libs/database';
import { IdempotencyKeyInProgressError, IdempotencyKeyReusedError } from '#libs/event-sourcing';
import type { ContractDatabases } from './contract-databases.fixture.js';
import { counted } from './counting.fixture.js';
import { openStore, type StoreUnderTest } from './store-under-test.js';

const metadata = { actor: 'system' };
const OPTIONS = { metadata, idempotency: { scope: 'api-key-1', key: 'key', fingerprint: 'same' } };

/** What an idempotency key promises to whoever repeats a request. */
export function describeIdempotencyContract(databases: ContractDatabases): void {
  describe('an idempotency key', () => {
    let location: DatabaseLocation;
    let first: StoreUnderTest;
    const log = () => first.store.readAll({ limit: 100_000 });

    beforeEach(async () => {
      ({ location } = await databases.create());
      first = await openStore(location);
    });

    const added = { stream: { newIn: 'pet' }, events: [counted(1)] } as const;
    const once = (fingerprint = 'same', key = 'key', scope = 'api-key-1', from = first) =>
      from.store.execute(() => [added], { metadata, idempotency: { scope, key, fingerprint } });

    it.each<[string, () => []]>([
      [
        'is refused',
        () => {
          throw new Error('sold since');
        },
      ],
      ['changes nothing', () => []],
    ])('gives the first result again though the same command now %s', async (_, decide) => {
      const { events } = await once();
      const another = await openStore(location);
      expect(await another.store.execute(decide, OPTIONS)).toEqual({ events, replayed: true });
      const reused = { ...OPTIONS, idempotency: { ...OPTIONS.idempotency, fingerprint: 'other' } };
      await expect(another.store.execute(decide, reused)).rejects.toThrow(IdempotencyKeyReusedError);
    });

    it('makes an append happen once, also for other processes and after a restart, and is refused with another fingerprint', async () => {
      const { events } = await once();
      const second = await openStore(location);
      expect(await once('same', 'key', 'api-key-1', second)).toEqual({ events, replayed: true });
      await first.close();
      first = await openStore(location);
      expect(await once()).toEqual({ events, replayed: true });
      expect(await log()).toHaveLength(1);
      await expect(once('other')).rejects.toThrow(IdempotencyKeyReusedError);
    });

    it('admits exactly one of many overlapping requests of several processes', async () => {
      const second = await openStore(location);
      const attempts = Array.from({ length: 20 }, (_, index) => once('same', 'key', 'api-key-1', index % 2 ? first : second));
      const results = await Promise.allSettled(attempts);
      for (const result of results) if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(IdempotencyKeyInProgressError);
      expect(results.some(({ status }) => status === 'rejected')).toBe(true);
      expect((await once()).replayed).toBe(true);
      expect(await log()).toHaveLength(1);
    });

    it('belongs to its scope', async () => {
      await once('same', 'b', 'a');
      expect((await once('same', 'key', 'api-key-2')).replayed).toBe(false);
      const joined = await Promise.all([once('same', 'b', 'a'), once('same', 'ab', '')]);
      expect(joined.map(({ replayed }) => replayed)).toEqual([true, false]);
    });

    it('stays free when the first request was refused, or failed', async () => {
      const refused = () => {
        throw new Error('sold');
      };
      await expect(first.store.execute(refused, OPTIONS)).rejects.toThrow('sold');
      const failing = first.store.execute(() => [added], {
        ...OPTIONS,
        withinTransaction: () => Promise.reject(new Error('disk full')),
      });
      await expect(failing).rejects.toThrow('disk full');
      expect((await once()).replayed).toBe(false);
    });
  });
}
