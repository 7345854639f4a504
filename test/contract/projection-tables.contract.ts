import { identifier, insertRows, listTables, sql, type DatabaseLocation } from '#libs/database';
import { projectionTableName, type Projection, type ProjectionTable } from '#libs/event-sourcing';
import { counted, sumsProjection } from './counting.fixture.js';
import { openStore, type ContractDatabase, type StoreUnderTest } from './store-under-test.js';

const EVENTS = 2_500;

/** The sums with few statements for a batch. */
const fewStatements: Projection = {
  ...sumsProjection,
  async project(events, target) {
    const sums = new Map<string, (typeof events)[number]>();
    for (const event of events) {
      const { by } = (sums.get(event.stream)?.data ?? { by: 0 }) as { by: number };
      sums.set(event.stream, { ...event, data: { by: by + (event.data as { by: number }).by } });
    }
    await sumsProjection.project([...sums.values()], target);
  },
};

/** A step of a rebuild, after which it is broken off. */
type Step = 'begun' | 'filled by half' | 'filled' | 'switched';

/** What becomes of the tables of a projection: under which names they stand, and what is left of builds that were broken off. */
export function describeProjectionTablesContract(databases: ContractDatabase): void {
  describe('the tables of a projection', () => {
    let location: DatabaseLocation;

    const open = (projection: Projection = fewStatements) => openStore(location, projection);
    const append = ({ store }: StoreUnderTest, count: number) =>
      store.append([{ stream: 'counter-a', expectedVersion: 'any', events: Array.from({ length: count }, () => counted(1)) }], {
        metadata: { actor: 'system' },
      });
    const tablesOf = async ({ database }: StoreUnderTest, prefix = 'sums') =>
      (await listTables(database.reader)).map(({ name }) => name).filter((name) => name.startsWith(prefix));

    beforeEach(async () => {
      ({ location } = await databases.create());
    });

    it('stay apart, with their indexes, where their names agree in more than PostgreSQL keeps', async () => {
      const LONG = 'a_name_that_is_longer_than_what_postgresql_keeps_of_a_name_for_sure';
      const tables = ['one', 'two'].map((end): ProjectionTable => ({
        name: `${LONG}_${end}`,
        columns: { stream: { type: 'text' }, total: { type: 'int64' } },
        primaryKey: ['stream'],
        indexes: [['total'], ['total', 'stream']],
      }));
      const projection: Projection = {
        ...sumsProjection,
        tables,
        async project(events, target) {
          for (const [index, { name }] of tables.entries()) {
            const table = target.table(name);
            const suffix = sql`ON CONFLICT ("stream") DO UPDATE SET "total" = ${table}."total" + excluded."total"`;
            for (const { stream } of events) {
              insertRows(target, { table, columns: ['stream', 'total'], rows: [[stream, index + 1]], suffix });
            }
          }
        },
      };
      const store = await open(projection);
      await append(store, 2);
      for (let count = 0; count < 3; count += 1) await store.rebuilder.rebuild('sums');
      await append(store, 1);
      expect(await store.verification.verify()).toEqual([]);
      const totalOf = async (table: string) => {
        const name = identifier(projectionTableName(projection, table));
        const rows = await store.database.reader.query<{ total: bigint | string }>(sql`SELECT "total" FROM ${name}`);
        return rows.map(({ total }) => Number(total));
      };
      expect(await Promise.all(tables.map(({ name }) => totalOf(name)))).toEqual([[3], [6]]);
      expect(await tablesOf(store, 'a_name')).toHaveLength(2);
      const second = await open({ ...fewStatements, version: 2 });
      expect((await second.pruning.prune())[0]?.tables).toHaveLength(2);
      expect(await tablesOf(second, 'a_name')).toEqual([]);
    });

    describe.each<Step>(['begun', 'filled by half', 'filled', 'switched'])('of which a rebuild was broken off when it had %s', (step) => {
      let serving: StoreUnderTest;
      let broken: StoreUnderTest;
      beforeEach(async () => {
        serving = await open();
        await append(serving, EVENTS);
        broken = await open(breakingOff(step));
        await expect(broken.rebuilder.rebuild('sums', breakOffAt(step))).rejects.toThrow('broken off');
        expect(await tablesOf(serving)).toHaveLength(2);
      });

      /** All of them are as if nothing had happened, and an instance that served meanwhile goes on. */
      const expectClean = async () => {
        expect(await tablesOf(serving)).toEqual(['sums_v1']);
        await append(serving, 1);
        await serving.readModels.current(sumsProjection);
        const rows = await serving.database.reader.query<{ total: bigint | string }>(sql`SELECT "total" FROM "sums_v1"`);
        expect(rows.map(({ total }) => Number(total))).toEqual([EVENTS + 1]);
        expect(await serving.verification.verify()).toEqual([]);
        await serving.rebuilder.rebuild('sums');
        expect(await tablesOf(serving)).toEqual(['sums_v1']);
      };

      it('are cleared by the next rebuild', async () => {
        await serving.rebuilder.rebuild('sums');
        await expectClean();
      });

      it('are cleared by pruning, which says so', async () => {
        const table = step === 'switched' ? 'sums_v1_retired_1' : 'sums_v1_build_2';
        expect(await serving.pruning.prune()).toEqual([{ name: 'sums', version: 1, tables: [table] }]);
        await expectClean();
      });

      it('are cleared by a build of another version, with its live ones, which the one before then builds anew', async () => {
        const second = await open({ ...fewStatements, version: 2 });
        await second.pruning.prune();
        expect(await tablesOf(serving)).toEqual(['sums_v2']);
        await open();
        expect(await tablesOf(serving)).toEqual(['sums_v1', 'sums_v2']);
      });
    });

    it('are built although an earlier build has left some of the same names', async () => {
      const first = await open();
      await first.database.write(async (transaction) => {
        await transaction.query(sql`ALTER TABLE "sums_v1" RENAME TO "sums_v1_retired_1"`);
        await transaction.query(sql`DELETE FROM "projection_checkpoints"`);
      });
      await append(await open(), 2);
      expect(await tablesOf(first)).toEqual(['sums_v1']);
    });

    it('of a rebuild that goes on are left to it', async () => {
      const [rebuilding, pruning] = [await open(), await open()];
      await append(rebuilding, 5_000);
      let prunings: Promise<unknown>[] = [];
      await rebuilding.rebuilder.rebuild('sums', () => {
        prunings = [...prunings, pruning.pruning.prune()];
      });
      expect((await Promise.all(prunings)).length).toBeGreaterThan(3);
      expect(await tablesOf(pruning)).toEqual(['sums_v1']);
      expect(await pruning.statuses.all()).toMatchObject([{ generation: 2, upToDate: true }]);
      expect(await pruning.verification.verify()).toEqual([]);
    });

    it('are not waited for by who is ending', async () => {
      const store = await open();
      await append(store, 1);
      const broken = await open(breakingOff('begun'));
      await expect(broken.rebuilder.rebuild('sums')).rejects.toThrow('broken off');
      expect(await store.pruning.removeAbandoned(() => true)).toEqual([]);
      expect(await tablesOf(store)).toEqual(['sums_v1', 'sums_v1_build_2']);
    });
  });
}

/** The projection, failing when a rebuild hands it the events after that step. */
function breakingOff(step: Step): Projection {
  const batches = { begun: 0, 'filled by half': 1, filled: 2, switched: Infinity }[step];
  let taken = 0;
  return {
    ...fewStatements,
    async project(events, target) {
      taken += 1;
      if (taken > batches) throw new Error('broken off');
      await fewStatements.project(events, target);
    },
  };
}

/** What is told last, of the whole log, is told between the switch and the removal of the tables before. */
function breakOffAt(step: Step): (done: bigint) => void {
  return (done) => {
    if (step === 'switched' && done === BigInt(EVENTS)) throw new Error('broken off');
  };
}
