import { jest } from '@jest/globals';
import { Column, Entity } from 'typeorm';
import { columnTypes, entityTable, identifier, listTables, sql, type DatabaseLocation } from '#libs/database';
import { type AppendResult, projectionTableName, type Projection } from '#libs/event-sourcing';
import { until } from '#libs/testing';
import type { ContractDatabases } from './contract-databases.fixture.js';
import { appendAtEnd, counted, Sum, sumsProjection } from './counting.fixture.js';
import { openStore, type StoreUnderTest } from './store-under-test.js';

const metadata = { actor: 'system' };
const SEVERAL_BATCHES = 2_500;
const machineTime = performance.now.bind(performance);

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

/** How many batches a rebuild has filled in, of those of the log, when it is broken off. */
const STEPS = { begun: 0, 'filled by half': 1, filled: 2 };
const WAYS = { 'the next rebuild': [], pruning: [], 'a build of another version': ['sums_v2'] };

/** What projections promise, also where several builds with different versions of them work on one database. */
export function describeProjectionContract(databases: ContractDatabases): void {
  describe('a projection', () => {
    let location: DatabaseLocation;
    let first: StoreUnderTest;

    const open = (projection = sumsProjection) => openStore(location, projection);
    const append = (stream: string, amounts: readonly number[], store = first): Promise<AppendResult> =>
      appendAtEnd(store.store, stream, amounts.map(counted), metadata);
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
    const tables = async () => (await listTables(first.database.reader)).map(({ name }) => name).filter((name) => name.startsWith('sums'));
    /** Time passes ten times as fast meanwhile: a build has stopped that makes no progress for five seconds. */
    const inFastTime = async <Result>(work: () => Promise<Result>): Promise<Result> => {
      const begin = machineTime();
      const clock = jest.spyOn(performance, 'now').mockImplementation(() => begin + 10 * (machineTime() - begin));
      const result = await work();
      const ahead = performance.now() - machineTime();
      clock.mockImplementation(() => machineTime() + ahead);
      return result;
    };

    beforeEach(async () => {
      ({ location } = await databases.create());
      first = await open();
    });
    afterEach(() => jest.restoreAllMocks());

    it('is up to date when the append is acknowledged, and verified: what differs from a replay is found', async () => {
      await append('counter-a', [1, 2]);
      await append('counter-b', [5]);
      expect(await rowsOf()).toEqual([
        ['counter-a', 3],
        ['counter-b', 5],
      ]);
      expect(await first.readModels.statuses()).toEqual([
        { name: 'sums', version: 1, used: true, generation: 1, position: 3n, upToDate: true, lag: 0n, rebuild: null },
      ]);
      expect(await first.readModels.verify()).toEqual([]);
      await first.database.transaction((transaction) => transaction.query(sql`UPDATE "sums_v1" SET "total" = 4 WHERE "total" = 3`));
      expect(await first.readModels.verify()).toEqual([expect.stringContaining('table sums has 1 rows that a replay has not')]);
    });

    it('loses nothing that is appended while another process rebuilds it, again and again', async () => {
      await append('counter-a', ones(3_000));
      const second = await open();
      const appended: Promise<AppendResult>[] = [];
      for (const generation of [2, 3]) {
        await second.rebuilder.rebuild('sums', () => {
          appended.push(append('counter-b', [1]));
        });
        await Promise.all(appended);
        expect(await first.readModels.statuses()).toMatchObject([{ generation, upToDate: true }]);
      }
      await append('counter-a', [1]);
      expect(appended.length).toBeGreaterThan(4);
      expect(await rowsOf()).toEqual([
        ['counter-a', 3_001],
        ['counter-b', appended.length],
      ]);
      expect(await first.readModels.verify()).toEqual([]);
    });

    it('that has changed under its version, or that the log does not suffice for, stops the start with the reason', async () => {
      await append('counter-a', [1]);
      class SumAndAverage extends Sum {
        @Column(columnTypes.int64) readonly average!: bigint;
      }
      Entity('sums')(SumAndAverage);
      await expect(open({ ...sumsProjection, tables: [entityTable(SumAndAverage)] })).rejects.toThrow(
        'The projection sums has changed (sums: average) but is still version 1: raise it',
      );
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

    it('has a revision that grows with every change of its rows and no other, the same in all instances', async () => {
      const second = await open();
      const note = {
        stream: 'note-1',
        events: [{ type: 'noted', data: { text: 'a', language: 'en' } }],
      } as const;
      let before = await first.readModels.current(sumsProjection);
      for (const [change, grows] of [
        [() => append('counter-a', [1]), true],
        [() => second.store.append([note], { metadata }), false],
        [() => append('counter-a', [1], second), true],
        [() => second.rebuilder.rebuild('sums'), true],
      ] as const) {
        await change();
        const [seen, other] = await Promise.all([first, second].map(({ readModels }) => readModels.current(sumsProjection)));
        expect(seen).toBe(other);
        expect([(seen ?? 0n) > before, seen !== before]).toEqual([grows, grows]);
        before = seen ?? 0n;
      }
    });

    describe('in two builds', () => {
      it('is built in tables of its own, and loses and doubles nothing where both append and read at once', async () => {
        await append('counter-3', [1, 2]);
        const second = await open(doubledProjection);
        const common = { name: 'sums', generation: 1, position: 2n, rebuild: null };
        expect(await second.readModels.statuses()).toEqual([
          { ...common, version: 2, used: true, upToDate: true, lag: 0n },
          { ...common, version: 1, used: false, upToDate: null, lag: null },
        ]);
        await Promise.all(
          Array.from({ length: 120 }, async (_, index) => {
            await append(`counter-${index % 3}`, [1], index % 2 ? first : second);
            await (index % 4 < 2 ? first.readModels.current(sumsProjection) : second.readModels.current(doubledProjection));
          }),
        );
        const sums = [40, 40, 40, 3].map((sum, index) => [`counter-${index}`, sum] as const);
        expect(await read(first, sumsProjection)).toEqual(sums);
        expect(await read(second, doubledProjection)).toEqual(sums.map(([stream, sum]) => [stream, 2 * sum]));
        for (const each of [first, second]) expect(await each.readModels.verify()).toEqual([]);
      });

      it('catches up with thousands of events, whether it reads or appends next', async () => {
        const second = await open(doubledProjection);
        await append('counter-a', ones(SEVERAL_BATCHES));
        await append('counter-a', [1], second);
        expect(await read(second, doubledProjection)).toEqual([['counter-a', 2 * SEVERAL_BATCHES + 2]]);
        await append('counter-a', [1]);
        expect(await second.readModels.verify()).toEqual([]);
      });

      it('is pruned by the build that does not use it, built anew where it is used, and fails no append meanwhile', async () => {
        await append('counter-a', [1]);
        const second = await open(doubledProjection);
        expect(await second.rebuilder.prune()).toEqual([{ name: 'sums', version: 1, tables: ['sums_v1'] }]);
        expect(await second.readModels.statuses()).toMatchObject([{ version: 2, used: true }]);
        expect(await tables()).toEqual(['sums_v2']);
        expect(await second.rebuilder.prune()).toEqual([]);
        await append('counter-a', [1]);
        await expect(first.readModels.current(sumsProjection)).rejects.toMatchObject({ code: 'service_unavailable' });
        await readable(first);
        expect(await rowsOf(sumsProjection)).toEqual([['counter-a', 2]]);
        expect(await read(second, doubledProjection)).toEqual([['counter-a', 4]]);
      });
    });

    it('that several instances need at once is built by exactly one of them', async () => {
      await append('counter-a', ones(SEVERAL_BATCHES));
      let projected = 0;
      const observed: Projection = {
        ...doubledProjection,
        async project(events, target) {
          await doubledProjection.project(events, target);
          projected += events.length;
        },
      };
      const starting = await Promise.all(Array.from({ length: 4 }, () => open(observed)));
      expect(projected).toBe(SEVERAL_BATCHES);
      for (const each of starting) expect(await read(each, observed)).toEqual([['counter-a', 2 * SEVERAL_BATCHES]]);
    });

    it('is built by another when the instance that began has ended', async () => {
      await append('counter-a', [1]);
      await first.database.transaction((transaction) =>
        transaction.query(
          sql`INSERT INTO "projection_checkpoints" ("name", "version", "generation", "position", "rebuild_id", "rebuild_position", "tables")
                VALUES ('sums', 2, 0, 0, 'of an instance that has ended', 0, '["sums_v2"]')`,
        ),
      );
      const second = await inFastTime(() => open(doubledProjection));
      expect(await read(second, doubledProjection)).toEqual([['counter-a', 2]]);
    });

    it('is built although an earlier build has left some of the names of its tables', async () => {
      await first.database.transaction(async (transaction) => {
        await transaction.query(sql`ALTER TABLE "sums_v1" RENAME TO "sums_v1_retired_1"`);
        await transaction.query(sql`DELETE FROM "projection_checkpoints"`);
      });
      await append('counter-a', [2], await open());
      expect(await tables()).toEqual(['sums_v1']);
    });

    it.each<[keyof typeof STEPS, keyof typeof WAYS]>([
      ['begun', 'pruning'],
      ['filled by half', 'the next rebuild'],
      ['filled', 'pruning'],
      ['filled', 'a build of another version'],
    ])('whose rebuild was broken off when it had %s is as if nothing had happened after %s', async (step, way) => {
      await append('counter-a', ones(SEVERAL_BATCHES));
      const broken = await open(breakingOff(STEPS[step]));
      await expect(broken.rebuilder.rebuild('sums')).rejects.toThrow('broken off');
      expect(await tables()).toHaveLength(2);
      if (way === 'the next rebuild') await first.rebuilder.rebuild('sums');
      else if (way === 'pruning') {
        const pruned = await inFastTime(() => first.rebuilder.prune());
        expect(pruned).toEqual([{ name: 'sums', version: 1, tables: ['sums_v1_build_2'] }]);
      } else {
        await (await open(doubledProjection)).rebuilder.prune();
        expect(await tables()).toEqual(['sums_v2']);
        await open();
      }
      expect(await tables()).toEqual(['sums_v1', ...WAYS[way]]);
      await append('counter-a', [1]);
      expect(await read(first, sumsProjection)).toEqual([['counter-a', SEVERAL_BATCHES + 1]]);
      expect(await first.readModels.verify()).toEqual([]);
    });

    it('is left to a rebuild that goes on by who prunes', async () => {
      const pruning = await open();
      await append('counter-a', ones(2 * SEVERAL_BATCHES));
      let prunings: Promise<unknown>[] = [];
      await first.rebuilder.rebuild('sums', () => {
        prunings = [...prunings, pruning.rebuilder.prune()];
      });
      expect((await Promise.all(prunings)).length).toBeGreaterThan(3);
      expect(await tables()).toEqual(['sums_v1']);
      expect(await pruning.readModels.statuses()).toMatchObject([{ generation: 2, upToDate: true }]);
      expect(await pruning.readModels.verify()).toEqual([]);
    });
  });
}

function ones(count: number): readonly number[] {
  return Array<number>(count).fill(1);
}

/** The projection, failing when a rebuild hands it the events after so many batches. */
function breakingOff(batches: number): Projection {
  let taken = 0;
  return {
    ...sumsProjection,
    async project(events, target) {
      taken += 1;
      if (taken > batches) throw new Error('broken off');
      await sumsProjection.project(events, target);
    },
  };
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
