import { Aggregate, executeDecider, type AppendResult, type Decider } from '#libs/event-sourcing';
import type { ContractDatabases } from './contract-databases.fixture.js';
import { counted, type Counted } from './counting.fixture.js';
import { openStore, type StoreUnderTest } from './store-under-test.js';

const metadata = { actor: 'system' };

/** What a command gets that has to be decided on a stream that others write to. */
export function describeCommandContract(databases: ContractDatabases): void {
  describe('a command', () => {
    let subject: StoreUnderTest;
    const append = (expectedVersion: number) =>
      subject.store.append([{ stream: 'counter-a', expectedVersion, events: [counted(10)] }], { metadata });

    beforeEach(async () => {
      subject = await openStore((await databases.create()).location);
    });

    /** Counts one, while another writer that counts ten comes first the given number of times. */
    const countBehind = async (rivals: number) => {
      const rivalAppends: Promise<AppendResult>[] = [];
      const decider: Decider<number, 'count', Counted> = {
        initialState: 0,
        decide: () => {
          if (rivalAppends.length < rivals) rivalAppends.push(append(rivalAppends.length));
          return [counted(1)];
        },
        evolve: (sum, { data }) => sum + data.by,
      };
      const execution = executeDecider(subject.store, { decider, stream: 'counter-a', command: 'count', metadata });
      const [outcome] = await Promise.allSettled([execution]);
      return { outcome, rivals: (await Promise.all(rivalAppends)).length };
    };

    it('is decided again on what is there as often as others come first', async () => {
      const { outcome, rivals } = await countBehind(12);
      expect(outcome).toMatchObject({ status: 'fulfilled', value: { state: 121, events: [{ version: 13 }] } });
      expect(rivals).toBe(12);
    });

    it('is decided again if a stream that it only depends on has changed since it was read', async () => {
      const totals: number[] = [];
      const sum: Decider<number, never, Counted> = { initialState: 0, decide: () => [], evolve: (total, { data }) => total + data.by };
      const decide = async () => {
        const other = await Aggregate.read(subject.store, sum, 'counter-a');
        totals.push(other.state);
        if (totals.length === 1) await append(0);
        return [other.expectUnchanged(), { stream: 'counter-b', events: [counted(other.state)] } as const];
      };
      await subject.store.execute(decide, { metadata });
      expect(totals).toEqual([0, 10]);
      expect((await subject.store.readAll({ limit: 10 })).map(({ stream, data }) => [stream, data])).toEqual([
        ['counter-a', { by: 10 }],
        ['counter-b', { by: 10 }],
      ]);
    });

    it('keeps a rule over a set, whose owner has a stream for it, however many instances add to the set at once', async () => {
      const { location } = await databases.create();
      const instances = [await openStore(location), await openStore(location)];
      const upToThree: Decider<number, 'add', Counted> = {
        initialState: 0,
        decide: (_command, members) => {
          if (members === 3) throw new Error('full');
          return [counted(1)];
        },
        evolve: (members, { data }) => members + data.by,
      };
      const adding = Array.from({ length: 20 }, (_, index) => {
        const store = instances[index % 2]?.store ?? subject.store;
        return executeDecider(store, { decider: upToThree, stream: 'counter-owner', command: 'add', metadata });
      });
      const outcomes = await Promise.allSettled(adding);
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
      for (const outcome of outcomes) if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ message: 'full' });
      expect(await instances[0]?.store.readAll({ limit: 10 })).toHaveLength(3);
    });

    it('that others came before until its time was over is refused as a conflict, and leaves nothing', async () => {
      const { outcome, rivals } = await countBehind(Number.POSITIVE_INFINITY);
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: { name: 'ConcurrencyError', code: 'conflict', status: 409 },
      });
      expect((await subject.store.readAll({ limit: 100_000 })).map(({ data }) => data)).toEqual(Array(rivals).fill({ by: 10 }));
    });
  });
}
