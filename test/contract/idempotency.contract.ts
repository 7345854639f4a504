import type { DatabaseLocation } from '#libs/database';
import { IdempotencyKeyInProgressError, IdempotencyKeyReusedError } from '#libs/event-sourcing';
import { counted } from './counting.fixture.js';
import { openStore, type ContractDatabase, type StoreUnderTest } from './store-under-test.js';

const metadata = { actor: 'system' };

/** What an idempotency key promises to whoever repeats a request. */
export function describeIdempotencyContract(databases: ContractDatabase): void {
  describe('an idempotency key', () => {
    let opened: StoreUnderTest[];
    let location: DatabaseLocation;
    let remove: () => Promise<void>;
    let first: StoreUnderTest;

    const open = async (): Promise<StoreUnderTest> => {
      const another = await openStore(location);
      opened.push(another);
      return another;
    };
    const log = () => first.store.readAll({ limit: 100_000 });

    beforeEach(async () => {
      ({ location, remove } = await databases.create());
      opened = [];
      first = await open();
    });
    afterEach(async () => {
      for (const each of opened) await each.close();
      await remove();
    });

    const added = { stream: { newIn: 'pet' }, expectedVersion: 'noStream', events: [counted(1)] } as const;
    const once = (fingerprint = 'same', key = 'key', scope = 'api-key-1', from = first) =>
      from.store.execute(() => [added], { metadata, idempotency: { scope, key, fingerprint } });

    it('makes an append happen once, and gives the first result again', async () => {
      const original = await once();
      const repeated = await once();
      expect(repeated).toEqual({ events: original.events, replayed: true });
      expect(await log()).toHaveLength(1);
    });

    it.each<[string, () => []]>([
      [
        'is refused',
        () => {
          throw new Error('sold since');
        },
      ],
      ['changes nothing', () => []],
    ])('gives the first result again though the same command now %s', async (_, decide) => {
      const options = { metadata, idempotency: { scope: 'api-key-1', key: 'key', fingerprint: 'same' } };
      const { events } = await once();
      const another = await open();
      expect(await another.store.execute(decide, options)).toEqual({ events, replayed: true });
      const reused = { ...options, idempotency: { ...options.idempotency, fingerprint: 'other' } };
      await expect(another.store.execute(decide, reused)).rejects.toThrow(IdempotencyKeyReusedError);
    });

    it('leaves a refusal of a first request as it is', async () => {
      const refused = () => {
        throw new Error('sold');
      };
      const options = { metadata, idempotency: { scope: 'api-key-1', key: 'key', fingerprint: 'same' } };
      await expect(first.store.execute(refused, options)).rejects.toThrow('sold');
      expect((await once()).replayed).toBe(false);
    });

    it('is known to other processes and after a restart', async () => {
      await once();
      const second = await open();
      expect((await once('same', 'key', 'api-key-1', second)).replayed).toBe(true);
      await first.close();
      opened = opened.filter((each) => each !== first);
      first = await open();
      expect((await once()).replayed).toBe(true);
    });

    it('is refused with another fingerprint', async () => {
      await once();
      await expect(once('other')).rejects.toThrow(IdempotencyKeyReusedError);
    });

    it('is refused while the first request is running', async () => {
      const running = once();
      await expect(once()).rejects.toThrow(IdempotencyKeyInProgressError);
      await running;
      expect((await once()).replayed).toBe(true);
    });

    it('admits exactly one of many overlapping requests of several processes', async () => {
      const second = await open();
      const attempts = Array.from({ length: 20 }, (_, index) => once('same', 'key', 'api-key-1', index % 2 ? first : second));
      const results = await Promise.allSettled(attempts);
      for (const result of results) if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(IdempotencyKeyInProgressError);
      expect(await log()).toHaveLength(1);
    });

    it('belongs to its scope', async () => {
      await once('same', 'b', 'a');
      expect((await once('same', 'key', 'api-key-2')).replayed).toBe(false);
      expect((await once('same', 'ab', '')).replayed).toBe(false);
    });

    it('stays free when the append failed', async () => {
      const failing = first.store.execute(() => [added], {
        metadata,
        idempotency: { scope: 'api-key-1', key: 'key', fingerprint: 'same' },
        withinTransaction: () => Promise.reject(new Error('disk full')),
      });
      await expect(failing).rejects.toThrow('disk full');
      expect((await once()).replayed).toBe(false);
    });
  });
}
