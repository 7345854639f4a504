import { identifier, sql, type DatabaseLocation } from '#libs/database';
import { type AppendResult, projectionTableName, type Projection } from '#libs/event-sourcing';
import { until } from '#libs/testing';
import { counted, sumsProjection } from './counting.fixture.js';
import { openStore, type ContractDatabase, type StoreUnderTest } from './store-under-test.js';

const metadata = { actor: 'system' };
/** The same projection as another build has it. */
const doubledProjection: Projection = {
  ...sumsProjection,
  version: 2,
  async project(events, target) {
    await sumsProjection.project(
      events.map((event) => ({ ...event, data: { by: 2 * (event.data as { by: number }).by } })),
      target,
    );
  },
};

/** What projections promise, also where several builds with different versions of them work on one database. */
export function describeProjectionContract(databases: ContractDatabase): void {
  describe('a projection', () => {
    let location: DatabaseLocation;
    let first: StoreUnderTest;

    const open = (projection = sumsProjection) => openStore(location, projection);
    const append = (stream: string, amounts: readonly number[], store = first): Promise<AppendResult> =>
      store.store.append([{ stream, expectedVersion: 'any', events: amounts.map(counted) }], { metadata });
    /** The rows as they are, without looking whether they are up to date. */
    const rowsOf = async (projection = sumsProjection) => {
      const table = identifier(projectionTableName(projection, 'sums'));
      const rows = await first.database.reader.query<{ stream: string; total: bigint | string }>(
        sql`SELECT "stream", "total" FROM ${table} ORDER BY "stream"`,
      );
      return rows.map(({ stream, total }) => [stream, Number(total)]);
    };
    /** The rows as a reader of this store gets them. */
    const read = async (store: StoreUnderTest, projection: Projection) => {
      await store.readModels.current(projection);
      return rowsOf(projection);
    };

    beforeEach(async () => {
      ({ location } = await databases.create());
      first = await open();
    });

    it('is up to date when the append is acknowledged', async () => {
      await append('counter-a', [1, 2]);
      await append('counter-b', [5]);
      expect(await rowsOf()).toEqual([
        ['counter-a', 3],
        ['counter-b', 5],
      ]);
      expect(await first.statuses.all()).toEqual([
        { name: 'sums', version: 1, used: true, generation: 1, position: 3n, upToDate: true, lag: 0n, rebuild: null },
      ]);
    });

    it('rebuilt equals live, again and again', async () => {
      await Promise.all(Array.from({ length: 50 }, (_, index) => append(`counter-${index % 7}`, [index])));
      const live = await rowsOf();
      for (const generation of [2, 3]) {
        await first.rebuilder.rebuild('sums');
        expect(await first.statuses.all()).toMatchObject([{ generation, upToDate: true }]);
        expect(await rowsOf()).toEqual(live);
      }
      expect(await first.verification.verify()).toEqual([]);
    });

    it('loses nothing that is appended while another process rebuilds it', async () => {
      await append('counter-a', ones(3_000));
      const second = await open();
      const appended: Promise<AppendResult>[] = [];
      await second.rebuilder.rebuild('sums', () => {
        appended.push(append('counter-b', [1]));
      });
      await Promise.all(appended);
      await append('counter-a', [1]);
      expect(appended.length).toBeGreaterThan(2);
      expect(await rowsOf()).toEqual([
        ['counter-a', 3_001],
        ['counter-b', appended.length],
      ]);
      expect(await first.verification.verify()).toEqual([]);
    });

    it('that differs from a replay is found', async () => {
      await append('counter-a', [1, 2]);
      await first.database.write((transaction) => transaction.query(sql`UPDATE "sums_v1" SET "total" = 4`));
      expect(await first.verification.verify()).toEqual([expect.stringContaining('table sums has 1 rows that a replay has not')]);
    });

    it('that has changed under its version stops the start, naming it, what differs and what to do', async () => {
      const tables = sumsProjection.tables.map((each) => ({ ...each, columns: { ...each.columns, average: { type: 'int64' as const } } }));
      const changed: Projection = { ...sumsProjection, tables };
      await expect(open(changed)).rejects.toThrow(
        'The projection sums has changed (sums: average) but is still version 1: raise it, so that the new form is built beside the old one.',
      );
    });

    it('that the log does not suffice for stops the start with the reason and leaves the others alone', async () => {
      await append('counter-a', [1]);
      const unbuildable: Projection = {
        ...sumsProjection,
        version: 3,
        project: (_events, target) =>
          target.query(sql`INSERT INTO ${target.table('sums')} ("stream") VALUES (${'a'})`).then(() => undefined),
      };
      await expect(open(unbuildable)).rejects.toThrow(
        /^Version 3 of the projection sums cannot be built from the log: .*(NOT NULL|null value).* needs an upcaster\.$/s,
      );
      expect(await rowsOf()).toEqual([['counter-a', 1]]);
    });

    describe('in two builds', () => {
      it('is built at the start of each in tables of its own', async () => {
        await append('counter-a', [1, 2]);
        const second = await open(doubledProjection);
        expect(await second.statuses.all()).toEqual([
          { name: 'sums', version: 2, used: true, generation: 1, position: 2n, upToDate: true, lag: 0n, rebuild: null },
          { name: 'sums', version: 1, used: false, generation: 1, position: 2n, upToDate: null, lag: null, rebuild: null },
        ]);
        expect(await rowsOf(doubledProjection)).toEqual([['counter-a', 6]]);
        expect(await rowsOf(sumsProjection)).toEqual([['counter-a', 3]]);
      });

      it('shows each what the other has acknowledged', async () => {
        const second = await open(doubledProjection);
        for (let count = 1; count <= 10; count += 1) {
          await append('counter-a', [1], count % 2 ? first : second);
          const [one, other] = await Promise.all([read(first, sumsProjection), read(second, doubledProjection)]);
          expect([one, other]).toEqual([[['counter-a', count]], [['counter-a', 2 * count]]]);
        }
      });

      it('loses and doubles nothing where both append and read at once', async () => {
        const second = await open(doubledProjection);
        await Promise.all(
          Array.from({ length: 120 }, async (_, index) => {
            await append(`counter-${index % 3}`, [1], index % 2 ? first : second);
            await (index % 4 < 2 ? first.readModels.current(sumsProjection) : second.readModels.current(doubledProjection));
          }),
        );
        expect(await read(first, sumsProjection)).toEqual([0, 1, 2].map((index) => [`counter-${index}`, 40]));
        expect(await read(second, doubledProjection)).toEqual([0, 1, 2].map((index) => [`counter-${index}`, 80]));
        expect(await first.verification.verify()).toEqual([]);
        expect(await second.verification.verify()).toEqual([]);
      });

      it('catches up with thousands of events, whether it reads or appends next', async () => {
        const second = await open(doubledProjection);
        await append('counter-a', ones(2_500));
        expect(await second.verification.verify()).toEqual([]);
        await append('counter-a', [1], second);
        expect(await read(second, doubledProjection)).toEqual([['counter-a', 5_002]]);
      });

      it('is pruned by the build that does not use it, with its tables', async () => {
        await append('counter-a', [1]);
        const second = await open(doubledProjection);
        expect(await second.pruning.prune()).toEqual([{ name: 'sums', version: 1, tables: ['sums_v1'] }]);
        expect(await second.statuses.all()).toMatchObject([{ version: 2, used: true }]);
        await expect(rowsOf(sumsProjection)).rejects.toMatchObject({ message: expect.stringMatching(/sums_v1/) });
        expect(await second.pruning.prune()).toEqual([]);
        expect(await read(second, doubledProjection)).toEqual([['counter-a', 2]]);
      });

      it('is built anew when its tables were pruned under it, and fails no append', async () => {
        await append('counter-a', [1]);
        const second = await open(doubledProjection);
        await second.pruning.prune();
        await append('counter-a', [1]);
        await expect(first.readModels.current(sumsProjection)).rejects.toMatchObject({ code: 'service_unavailable' });
        await readable(first);
        expect(await rowsOf(sumsProjection)).toEqual([['counter-a', 2]]);
      });
    });

    describe('that several instances need at once', () => {
      it('is built by exactly one of them', async () => {
        await append('counter-a', ones(2_500));
        let projected = 0;
        const observed: Projection = {
          ...doubledProjection,
          async project(events, target) {
            await doubledProjection.project(events, target);
            projected += events.length;
          },
        };
        const starting = await Promise.all(Array.from({ length: 4 }, () => open(observed)));
        expect(projected).toBe(2_500);
        for (const each of starting) expect(await read(each, observed)).toEqual([['counter-a', 5_000]]);
      });

      it('is built by another when the one that began has ended', async () => {
        await append('counter-a', [1]);
        await first.database.write((transaction) =>
          transaction.query(
            sql`INSERT INTO "projection_checkpoints" ("name", "version", "generation", "position", "rebuild_id", "rebuild_position", "tables")
                VALUES ('sums', 2, 0, 0, 'of an instance that has ended', 0, '["sums_v2"]')`,
          ),
        );
        const second = await open(doubledProjection);
        expect(await read(second, doubledProjection)).toEqual([['counter-a', 2]]);
      });
    });

    describe('has a revision that', () => {
      it('grows with every change of its rows and with a rebuild, the same in all instances', async () => {
        const second = await open();
        const revisions = [await first.readModels.current(sumsProjection)];
        const change = [() => append('counter-a', [1]), () => append('counter-a', [1], second), () => second.rebuilder.rebuild('sums')];
        for (const each of change) {
          await each();
          const seen = await Promise.all([first.readModels.current(sumsProjection), second.readModels.current(sumsProjection)]);
          expect(seen[0]).toBe(seen[1]);
          expect(seen[0]).toBeGreaterThan(revisions.at(-1) ?? 0n);
          revisions.push(seen[0]);
        }
      });

      it('stays while they stay, whatever else is appended', async () => {
        const second = await open(doubledProjection);
        await append('counter-a', [1]);
        const before = await Promise.all([first.readModels.current(sumsProjection), second.readModels.current(doubledProjection)]);
        const noted = { type: 'noted', data: { text: 'a', language: 'en' } };
        await second.store.append([{ stream: 'note-1', expectedVersion: 'any', events: [noted] }], { metadata });
        const after = await Promise.all([first.readModels.current(sumsProjection), second.readModels.current(doubledProjection)]);
        expect(after).toEqual(before);
      });

      it('is told without the write lock while no other build has appended', async () => {
        await append('counter-a', [1]);
        let release: () => void = () => undefined;
        const held = new Promise<void>((resolve) => (release = resolve));
        const writing = first.database.write(() => held);
        expect(await first.readModels.current(sumsProjection)).toBeGreaterThan(0n);
        release();
        await writing;
      });
    });
  });
}

function ones(count: number): readonly number[] {
  return Array<number>(count).fill(1);
}

/** Resolves when the store has its tables again. */
async function readable(store: StoreUnderTest): Promise<void> {
  await until(() =>
    store.readModels.current(sumsProjection).catch((error: unknown) => {
      if (!(error instanceof Error && error.name === 'ReadModelMissingError')) throw error;
      return undefined;
    }),
  );
}
