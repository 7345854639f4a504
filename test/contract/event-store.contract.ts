import { pipelined, raw, sql, type DatabaseLocation } from '#libs/database';
import { ConcurrencyError, type AppendResult, type EventStore } from '#libs/event-sourcing';
import type { ContractDatabases } from './contract-databases.fixture.js';
import { describeCommandContract } from './command.contract.js';
import { counted, POISON } from './counting.fixture.js';
import { describeIdempotencyContract } from './idempotency.contract.js';
import { describeProjectionContract } from './projection.contract.js';
import { describeLogContract } from './log.contract.js';
import { openStore, type StoreUnderTest } from './store-under-test.js';
import { describeStreamStatesContract } from './stream-states.contract.js';

const metadata = { actor: 'system' };

type StreamAppend = Parameters<EventStore['append']>[0][number];
type AppendTarget = StreamAppend['stream'];

/** What every event store promises, whatever database is under it. A new database only names itself. */
export function describeEventStoreContract(name: string, databases: ContractDatabases): void {
  describe(`event store on ${name}`, () => {
    let location: DatabaseLocation;
    let first: StoreUnderTest;

    const open = () => openStore(location);
    const appendTo = (stream: AppendTarget, ...amounts: number[]): StreamAppend => ({
      stream,
      events: amounts.map(counted),
    });
    const appendAll = (streams: readonly StreamAppend[], store = first) => store.store.append(streams, { metadata });
    const PET = { newIn: 'pet' };
    const append = (stream: string, expectedVersion: number, ...amounts: number[]): Promise<AppendResult> =>
      first.store.append([{ stream, expectedVersion, events: amounts.map(counted) }], { metadata });
    const log = () => first.store.readAll({ limit: 100_000 });

    beforeEach(async () => {
      ({ location } = await databases.create());
      first = await open();
    });

    describe('appending', () => {
      it('records what it was given, in order, and gives it back', async () => {
        first.clock.set('2026-03-01T10:20:30.456Z');
        const { events, replayed } = await append('counter-a', 0, 1, 2);
        expect(replayed).toBe(false);
        expect(await first.store.readAll({ streams: ['counter-a'] })).toEqual(events);
        expect(events).toMatchObject([
          { position: 1n, stream: 'counter-a', version: 1, type: 'counted', schemaVersion: 1, data: { by: 1 } },
          { position: 2n, stream: 'counter-a', version: 2, type: 'counted', schemaVersion: 1, data: { by: 2 } },
        ]);
        expect(events[0]?.recordedAt).toEqual(new Date('2026-03-01T10:20:30.456Z'));
        expect(events[0]?.metadata).toEqual(metadata);
      });

      it('refuses version 0 where the stream exists, and a version that is not the current one', async () => {
        await append('counter-a', 0, 1);
        await expect(append('counter-a', 0, 2)).rejects.toThrow(ConcurrencyError);
        await expect(append('counter-a', 0, 2)).rejects.toThrow(ConcurrencyError);
        await expect(append('counter-a', 2, 2)).rejects.toThrow(ConcurrencyError);
        await expect(append('counter-b', 1, 2)).rejects.toThrow(ConcurrencyError);
        await append('counter-a', 1, 2);
        expect((await first.store.readAll({ streams: ['counter-a'] })).map(({ version }) => version)).toEqual([1, 2]);
      });

      it.each([0, 3] as const)('lets exactly one of many overlapping appenders at version %s win', async (expected) => {
        if (expected === 3) await append('counter-a', 0, 1, 1, 1);
        const second = await open();
        const attempts = Array.from({ length: 40 }, (_, index) =>
          (index % 2 ? first : second).store.append([{ stream: 'counter-a', expectedVersion: expected, events: [counted(index)] }], {
            metadata,
          }),
        );
        const results = await Promise.allSettled(attempts);
        expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
        for (const result of results) if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(ConcurrencyError);
      });

      it('appends to several streams all or nothing', async () => {
        await append('counter-a', 0, 1);
        const both = appendAll([appendTo('counter-b', 1), appendTo('counter-a', 1)]);
        await expect(both).rejects.toThrow(ConcurrencyError);
        expect(await first.store.readAll({ streams: ['counter-b'] })).toEqual([]);
        expect(await first.store.readAll({ streams: ['counter-b', 'counter-a'] })).toEqual(
          await first.store.readAll({ streams: ['counter-a'] }),
        );
        expect(await first.store.readAll({ streams: [] })).toEqual([]);
      });

      it('makes data of the ids that new streams of the same append are given, in their order', async () => {
        const naming = { type: 'counted', data: (ids: readonly bigint[]) => ({ by: Number(ids.join('')) }) };
        await appendAll([appendTo(PET, 1)]);
        const named = (stream: AppendTarget) => ({ stream, events: [naming] }) as const;
        const { events } = await appendAll([named('counter-a'), appendTo(PET, 1), named(PET)]);
        expect(events.map(({ stream, data }) => [stream, data])).toEqual([
          ['counter-a', { by: 23 }],
          ['pet-2', { by: 1 }],
          ['pet-3', { by: 23 }],
        ]);
        expect((await log()).slice(1)).toEqual(events);
      });

      it('takes one stream twice in an append, the second time at the version after the first', async () => {
        const twice = (expectedVersion: number) =>
          appendAll([
            appendTo('counter-a', 1, 2),
            appendTo('counter-b', 3),
            { stream: 'counter-a', expectedVersion, events: [counted(4)] },
          ]);
        await expect(twice(0)).rejects.toThrow(ConcurrencyError);
        const { events } = await twice(2);
        expect(events.map(({ stream, version }) => [stream, version])).toEqual([
          ['counter-a', 1],
          ['counter-a', 2],
          ['counter-b', 1],
          ['counter-a', 3],
        ]);
      });

      it('gives each of many overlapping callers its own result; one in conflict or in error fails nobody else', async () => {
        await append('counter-taken', 0, 1);
        const attempts = Array.from({ length: 60 }, (_, index) => {
          if (index % 10 === 3) return append('counter-taken', 0, 1);
          if (index % 10 === 7) return append(`counter-poison-${index}`, 0, POISON);
          return append(`counter-${index}`, 0, index);
        });
        const results = await Promise.allSettled(attempts);
        results.forEach((result, index) => {
          expect(result.status).toBe([3, 7].includes(index % 10) ? 'rejected' : 'fulfilled');
        });
        const events = await log();
        expect(events).toHaveLength(1 + 48);
        expect(events.map(({ position }) => position)).toEqual(events.map((_, index) => BigInt(index + 1)));
        expect(await first.readModels.verify()).toEqual([]);
      });

      it('leaves nothing of a batch that failed, by itself or by a further write in its transaction, not even an id or a position', async () => {
        await expect(appendAll([appendTo(PET, 1, POISON)])).rejects.toThrow('cannot be projected');
        const refused = { metadata, withinTransaction: () => Promise.reject(new Error('no')) };
        await expect(first.store.append([appendTo(PET, 1)], refused)).rejects.toThrow('no');
        expect(await log()).toEqual([]);
        const { events } = await appendAll([appendTo(PET, 1)]);
        expect(events[0]).toMatchObject({ stream: 'pet-1', position: 1n });
      });
    });

    it('numbers positions by the log, and counts them in a table for instances of an earlier version, which read them there', async () => {
      await appendAll([appendTo(PET, 1)]);
      const zero = raw(`UPDATE "sequences" SET "last_value" = 0 WHERE "name" IN ('position', 'type:counted')`);
      await first.database.transaction((transaction) => transaction.query(zero));
      await appendAll([appendTo(PET, 1)]);
      expect(await first.store.lastPosition()).toBe(2n);
      const atTwo = raw(`SELECT "name" FROM "sequences" WHERE "last_value" = 2 ORDER BY "name"`);
      const names = (await first.database.reader.query<{ name: string }>(atTwo)).map(({ name: each }) => each);
      expect(names).toEqual(['position', 'stream:pet', 'type:counted']);
    });

    it('gives out ids and positions without a duplicate and without a gap, by several processes and after a restart', async () => {
      const second = await open();
      const attempts = Array.from({ length: 200 }, (_, index) => appendAll([appendTo(PET, 1)], index % 2 ? first : second));
      await Promise.all([...attempts, appendAll([appendTo({ newIn: 'api-key' }, 1)])]);
      await first.close();
      first = await open();
      await appendAll([appendTo(PET, 1)]);
      const events = await log();
      expect(events.map(({ position }) => position)).toEqual(Array.from({ length: 202 }, (_, index) => BigInt(index + 1)));
      const pets = events.filter(({ stream }) => stream !== 'api-key-1').map(({ stream }) => stream);
      expect(pets).toEqual(Array.from({ length: 201 }, (_, index) => `pet-${index + 1}`));
    });

    describe('reading', () => {
      const CASES: readonly (readonly [options: object, ascending: readonly number[]])[] = [
        [{}, [1, 2, 3, 4]],
        [{ streams: ['counter-a'] }, [1, 2, 4]],
        [{ streams: ['counter-a', 'counter-b'] }, [1, 2, 3, 4]],
        [{ streams: ['counter-c'] }, []],
        [{ type: 'counted' }, [1, 2, 3, 4]],
        [{ type: 'noted' }, []],
        [{ type: 'counted', streams: ['counter-a'] }, [1, 2, 4]],
        [{ type: 'noted', streams: ['counter-a'] }, []],
      ];

      it('pages through the log from both ends, by stream and by type', async () => {
        await append('counter-a', 0, 1, 2);
        await append('counter-b', 0, 3);
        await append('counter-a', 2, 4);
        const positions = (events: readonly { readonly position: bigint }[]) => events.map(({ position }) => Number(position));
        for (const [{ type, ...options }, expected] of CASES as readonly (readonly [{ type?: string }, readonly number[]])[]) {
          for (const limit of [2, 100]) {
            const newest = await first.store.readAll({
              ...options,
              ...(type !== undefined && { types: [type] }),
              newestFirst: true,
              limit,
            });
            expect(positions(newest)).toEqual(expected.toReversed().slice(0, limit));
            const types = type === undefined ? {} : { types: ['unheard-of', type] };
            const read = await first.store.readAll({ ...options, ...types, after: 1n, limit });
            expect(positions(read)).toEqual(expected.filter((position) => position > 1).slice(0, limit));
          }
        }
        expect(await first.store.readAll({ types: [], limit: 100 })).toEqual([]);
        expect(await first.store.count({ types: ['counted', 'noted'], after: 1n, until: 3n })).toBe(2n);
        expect(await first.store.count({ types: ['noted'], after: 0n, until: 9n })).toBe(0n);
        expect(await first.store.count({ types: [], after: 0n, until: 9n })).toBe(0n);
        expect(await first.store.lastPosition()).toBe(4n);
      });

      it('sees an append at once when it starts after the acknowledgement, from another process too', async () => {
        const second = await open();
        for (let version = 0; version < 20; version += 1) {
          await append('counter-a', version, 1);
          expect(await second.store.readAll({ streams: ['counter-a'] })).toHaveLength(version + 1);
        }
      });

      it('upcasts an old event and leaves an unknown type as it is', async () => {
        await first.database.transaction((transaction) =>
          transaction.query(
            sql`INSERT INTO "events" VALUES (1, 'note-1', 1, 'a', 'noted', 1, '{"note":"old"}', '{}', 0),
                                            (2, 'note-1', 2, 'b', 'from-the-future', 9, '{"a":1}', '{}', 0)`,
          ),
        );
        const events = await first.store.readAll({ streams: ['note-1'] });
        expect(events.map(({ schemaVersion, data }) => ({ schemaVersion, data }))).toEqual([
          { schemaVersion: 3, data: { text: 'old', language: 'en' } },
          { schemaVersion: 9, data: { a: 1 } },
        ]);
      });
    });

    describe('the log refuses, in the database itself', () => {
      const insert = (position: number, version: number) =>
        first.database.transaction((transaction) =>
          transaction.query(
            sql`INSERT INTO "events" VALUES (${position}, 'counter-a', ${version}, 'id', 'counted', 1, '{"by":1}', '{}', 0)`,
          ),
        );

      beforeEach(async () => {
        await append('counter-a', 0, 1, 2);
      });

      it.each([
        ['UPDATE', sql`UPDATE "events" SET "data" = '{}'`],
        ['DELETE', sql`DELETE FROM "events" WHERE "position" = 1`],
      ])('%s', async (_, statement) => {
        await expect(first.database.transaction((transaction) => transaction.query(statement))).rejects.toMatchObject({
          message: expect.stringContaining('append-only'),
        });
        expect(await log()).toHaveLength(2);
      });

      it('a position that exists or lies behind, and a version that exists or leaves a gap', async () => {
        for (const [position, version] of [
          [2, 3],
          [0, 3],
          [3, 2],
          [3, 4],
        ] as const) {
          await expect(insert(position, version)).rejects.toMatchObject({
            message: expect.stringMatching(/append-only|unique constraint/),
          });
        }
        await insert(3, 3);
        expect(await log()).toHaveLength(3);
      });
    });

    describeIdempotencyContract(databases);
    describeProjectionContract(databases);
    describeLogContract(databases);
    describeCommandContract(databases);
    describeStreamStatesContract(databases);

    it('keeps overlapping write transactions apart, whatever becomes of one of them', async () => {
      const insert = (stream: string) => sql`INSERT INTO "sums_v1" ("stream", "total") VALUES (${stream}, 1)`;
      const outcomes = await Promise.allSettled(
        Array.from({ length: 20 }, (_, index) =>
          first.database.transaction(async (transaction) => {
            await transaction.query(insert(`counter-${index}`));
            await new Promise((resolve) => setImmediate(resolve));
            if (index % 2 === 1) throw new Error('rolled back');
          }),
        ),
      );
      expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual(outcomes.map((_, index) => index % 2 === 0));
      const rows = await first.database.reader.query<{ stream: string }>(sql`SELECT "stream" FROM "sums_v1"`);
      expect(rows).toHaveLength(10);
      expect(rows.every(({ stream }) => Number(stream.slice(8)) % 2 === 0)).toBe(true);
    });

    it('runs nothing more of a transaction in which a statement failed, also what was sent with it', async () => {
      const note = (id: number) => sql`INSERT INTO "api_notes" VALUES (${id})`;
      await first.database.transaction((transaction) => transaction.query(raw('CREATE TABLE "api_notes" ("id" INTEGER PRIMARY KEY)')));
      const refused = { message: expect.stringMatching(/unique/i) as string };
      const sentTogether = first.database.transaction((transaction) => pipelined([1, 1, 2].map((id) => transaction.query(note(id)))));
      await expect(sentTogether).rejects.toMatchObject(refused);
      const swallowed = async (...statements: readonly Promise<unknown>[]) => pipelined(statements).catch(() => undefined);
      const caught = first.database.transaction(async (transaction) => {
        await swallowed(transaction.query(note(3)), transaction.query(note(3)));
        await transaction.query(note(4));
      });
      await expect(caught).rejects.toBeDefined();
      const hushed = first.database.transaction((transaction) => swallowed(transaction.query(note(5)), transaction.query(note(5))));
      await expect(hushed).rejects.toBeDefined();
      const unread = first.database.commit((transaction) => [6, 6, 7].forEach((id) => transaction.execute(note(id))));
      const next = first.database.transaction((transaction) => transaction.execute(note(9)));
      await expect(unread.then(({ durable }) => durable)).rejects.toMatchObject(refused);
      await next;
      expect(await first.database.reader.query(raw('SELECT "id" FROM "api_notes" WHERE "id" <> 9'))).toEqual([]);
    });

    it('cannot be written through the reading side', async () => {
      await expect(first.database.reader.query(sql`DELETE FROM "sums_v1"`)).rejects.toMatchObject({ message: expect.any(String) });
    });

    it('is set up by exactly one of many that start together', async () => {
      const fresh = await databases.create();
      const starting = await Promise.all(Array.from({ length: 4 }, () => openStore(fresh.location)));
      await Promise.all(starting.map((store) => appendAll([appendTo(PET, 1)], store)));
      expect(await starting[0]?.readModels.verify()).toEqual([]);
    });
  });
}
