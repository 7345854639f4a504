import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { DatabaseLocation } from '#libs/database';
import { EventFollower, EventStore, FollowerProcess, type RecordedEvent } from '#libs/event-sourcing';
import { libraryMigrations, libraryModules, SettableClock } from '#libs/testing';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import { execute, tamperWith } from '../databases/test-database.fixture.js';
import type { ContractDatabases } from './contract-databases.fixture.js';
import { counted, eventDefinitions, type Counted } from './counting.fixture.js';

const SECOND = 1_000;
const LEASE = 10 * SECOND;
const MAX_PAUSE = 300 * SECOND;
const done = () => Promise.resolve();

@Module({})
class TestModule {}

/** Notes the amounts of the events that it is called with. */
class NoteCounts extends EventFollower<Counted> {
  readonly types = ['counted'] as const;

  constructor(
    readonly name: string,
    private readonly note: (amount: number) => Promise<unknown>,
    override readonly startFrom: 'beginning' | 'end' = 'end',
  ) {
    super();
  }

  async handle({ data: { by } }: RecordedEvent<Counted>): Promise<void> {
    await this.note(by);
  }
}

/** What followers promise, whatever database is under them. */
export function describeFollowersContract(databases: ContractDatabases): void {
  describe('a follower', () => {
    let location: DatabaseLocation;
    let url: string;
    let clock: SettableClock;
    /** The amounts of the events that the followers of all instances were called with. */
    let called: number[];
    let handling: (amount: number) => Promise<unknown>;
    let logged: string[];
    let release: () => void;
    let first: Awaited<ReturnType<typeof open>>;

    const log = (line: unknown, ...rest: unknown[]) => {
      if (rest.at(-1) === EventFollower.name) logged.push(String(line));
    };
    const logger = { log: () => undefined, warn: log, error: log };
    const noteCalls = (amount: number) => {
      called.push(amount);
      return handling(amount);
    };
    /** Several instances behave like several processes. */
    const open = async (followers: readonly NoteCounts[] = [new NoteCounts('note-counts', noteCalls)]) => {
      const providers = followers.map((each, index) => ({ provide: `follower ${index}`, useFactory: () => each }));
      const composed = { events: eventDefinitions, projections: [], migrations: libraryMigrations };
      const module = { module: TestModule, imports: libraryModules(location, clock, composed), providers };
      const context = await NestFactory.createApplicationContext(module, { logger, abortOnError: false });
      const store = context.get(EventStore);
      const close = closeAtEnd(() => context.close());
      closeAtEnd(() => release());
      return {
        close,
        store,
        run: () => context.get(FollowerProcess).run(),
        async count(...amounts: readonly number[]) {
          for (const amount of amounts) {
            const counter = { stream: { newIn: 'counter' }, events: [counted(amount)] };
            await store.append([counter], { metadata: { actor: 'system' } });
          }
        },
      };
    };
    const renameTable = (from: string, to: string) => execute(url, `ALTER TABLE "${from}" RENAME TO "${to}"`);
    /** From now on events wait in `handle` until they are released. */
    const holdEvents = () => {
      const gate = new Promise<void>((resolve) => (release = resolve));
      return new Promise<void>((resolve) => {
        handling = () => {
          resolve();
          return gate;
        };
      });
    };
    /** As a restore in place does: the log ends at this position, and the counters say so too. */
    const goBackTo = (position: bigint) =>
      tamperWith(
        url,
        `BEGIN;
         DELETE FROM "events" WHERE "position" > ${position};
         UPDATE "sequences" SET "last_value" = ${position}
           WHERE "last_value" > ${position} AND ("name" = 'position' OR "name" LIKE 'type:%');
         COMMIT`,
      );

    beforeEach(async () => {
      ({ location, url } = await databases.create());
      [called, logged, handling] = [[], [], done];
      clock = new SettableClock();
      release = () => undefined;
      first = await open();
      await first.run();
    });

    it('is called by one of several instances with each event of its types once, in the order of the log', async () => {
      const instances = [first, await open(), await open()];
      const amounts = Array.from({ length: 120 }, (_, index) => index);
      for (const some of [amounts.slice(0, 70), amounts.slice(70), []]) {
        await first.count(...some);
        await Promise.all(instances.map(({ run }) => run()));
      }
      expect(called).toEqual(amounts);
      expect(logged).toEqual([]);
    });

    it('starts after the last event that there is when it first runs, unless it says that it starts at the beginning', async () => {
      const [all, later]: [number[], number[]] = [[], []];
      const note = (seen: number[]) => async (amount: number) => seen.push(amount);
      const followers = [new NoteCounts('note-all', note(all), 'beginning'), new NoteCounts('note-later', note(later))];
      await first.count(1, 2);
      const second = await open(followers);
      await second.run();
      await first.count(3);
      await second.close();
      await (await open(followers)).run();
      expect([all, later]).toEqual([[1, 2, 3], [3]]);
    });

    it('is called again with an event whose checkpoint was not stored, with one line in the log', async () => {
      await first.count(1, 2);
      handling = async () => {
        handling = done;
        await renameTable('event_followers', 'away');
      };
      await first.run();
      await first.run();
      expect(logged).toEqual([expect.stringContaining('note-counts cannot continue and will retry: ')]);
      await renameTable('away', 'event_followers');
      await first.run();
      expect(called).toEqual([1, 1, 2]);
    });

    it('is taken over when the instance that calls it says nothing for ten seconds, which then stores nothing and goes on nowhere', async () => {
      await first.count(1, 2, 3);
      const [second, reached] = [await open(), holdEvents()];
      const held = first.run();
      await reached;
      handling = done;
      clock.advance(LEASE - 1);
      await second.run();
      expect(called).toEqual([1]);
      clock.advance(1);
      await second.run();
      release();
      await held;
      await first.run();
      expect(called).toEqual([1, 1, 2, 3]);
    });

    it('tries a failed event again after growing pauses, with one line in the log each, while those behind it wait', async () => {
      handling = (amount) => (amount === 2 ? Promise.reject(new Error('no mail today')) : done());
      await first.count(1, 2, 3);
      const pauses: number[] = [];
      for (let pause = SECOND; pauses.length < 11; pause = Math.min(2 * pause, MAX_PAUSE)) {
        for (let count = 0; count < 3; count += 1) await first.run();
        clock.advance(pause - 1);
        await first.run();
        pauses.push(pause);
        expect(called).toEqual([1, ...pauses.map(() => 2)]);
        clock.advance(1);
      }
      const line = (pause: number) =>
        `note-counts failed on counted at position 2, which is tried again in ${pause / SECOND} s: Error: no mail today`;
      expect(logged).toEqual(pauses.map(line));
      handling = done;
      await first.run();
      expect(called.slice(-2)).toEqual([2, 3]);
    });

    it('keeps its pause in another instance, but not behind a clock that is set back', async () => {
      handling = () => Promise.reject(new Error('no mail today'));
      await first.count(1);
      await first.run();
      await first.close();
      const second = await open();
      await second.run();
      expect(called).toEqual([1]);
      clock.advance(-MAX_PAUSE);
      await second.run();
      expect(called).toEqual([1, 1]);
    });

    it('is called with all that follows after the log has gone back under it, and no more with what is lost', async () => {
      await first.count(1, 2, 3);
      const reached = holdEvents();
      const held = first.run();
      await reached;
      await goBackTo(1n);
      await first.store.lastPosition();
      handling = done;
      release();
      await held;
      expect(called).toEqual([1]);
      await first.count(4, 5);
      await first.run();
      expect(called).toEqual([1, 4, 5]);
    });

    it('is called with what follows also where its checkpoint is behind the end of the log, or is gone', async () => {
      await first.count(1, 2, 3);
      await first.run();
      await goBackTo(1n);
      await first.count(4);
      await first.run();
      await execute(url, 'DELETE FROM "event_followers"');
      await first.run();
      await first.count(5);
      await first.run();
      expect(called).toEqual([1, 2, 3, 4, 5]);
    });

    it('is awaited at the end, after which another instance goes on at once', async () => {
      await first.count(1, 2);
      const reached = holdEvents();
      void first.run();
      await reached;
      const closed = first.close();
      handling = done;
      release();
      await closed;
      await (await open()).run();
      expect(called).toEqual([1, 2]);
    });
  });
}
