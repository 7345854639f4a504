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
