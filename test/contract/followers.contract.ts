import { Inject, Injectable, Scope } from '@nestjs/common';
import { REQUEST } from '@nestjs/core';
import type { DatabaseLocation } from '#libs/database';
import { EventFollower, EventStore } from '#libs/event-sourcing';
import { SettableClock } from '#libs/testing';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import { execute, tamperWith } from '../databases/test-database.fixture.js';
import type { ContractDatabases } from './contract-databases.fixture.js';
import type { Counted } from './counting.fixture.js';
import { NoteCounts, openFollowers, type FollowersOptions, type FollowersUnderTest } from './followers.fixture.js';

const SECOND = 1_000;
const LEASE = 10 * SECOND;
const MAX_PAUSE = 300 * SECOND;

/** What followers promise, whatever database is under them. */
export function describeFollowersContract(name: string, databases: ContractDatabases): void {
  describe(`a follower on ${name}`, () => {
    let location: DatabaseLocation;
    let url: string;
    let clock: SettableClock;
    /** The amounts of the events that the followers of all instances were called with. */
    let called: number[];
    let beforeCommand: (amount: number) => Promise<void>;
    let afterCommand: (amount: number) => Promise<void>;
    let logged: string[];
    let release: () => void;
    let first: FollowersUnderTest;

    const done = () => Promise.resolve();
    const log = (line: unknown, ...rest: unknown[]) => {
      if (rest.at(-1) === EventFollower.name) logged.push(String(line));
    };
    const logger = { log: () => undefined, warn: log, error: log };
    const open = async (options: Partial<FollowersOptions> = {}): Promise<FollowersUnderTest> => {
      const followers = await openFollowers(location, {
        clock,
        logger,
        beforeCommand(amount) {
          called.push(amount);
          return beforeCommand(amount);
        },
        afterCommand: (amount) => afterCommand(amount),
        ...options,
      });
      closeAtEnd(() => release());
      return followers;
    };
    const renameTable = (from: string, to: string) => execute(url, `ALTER TABLE "${from}" RENAME TO "${to}"`);
    /** From now on events wait in `handle` until they are released. Resolves when one does. */
    const holdEvents = (): Promise<void> => {
      const gate = new Promise<void>((resolve) => (release = resolve));
      return new Promise<void>((resolve) => {
        beforeCommand = () => {
          resolve();
          return gate;
        };
      });
    };

    beforeEach(async () => {
      ({ location, url } = await databases.create());
      [called, logged] = [[], []];
      release = () => undefined;
      [beforeCommand, afterCommand] = [done, done];
      clock = new SettableClock();
      first = await open();
      await first.process.run();
    });
    it('is called with each event of its types once, in the order of the log', async () => {
      const amounts = Array.from({ length: 120 }, (_, index) => index);
      await first.count(...amounts.slice(0, 70));
      await first.process.run();
      await first.count(...amounts.slice(70));
      await first.process.run();
      await first.process.run();
      expect(called).toEqual(amounts);
      expect(await first.noted()).toEqual(amounts);
      expect(logged).toEqual([]);
    });

    it('starts after the last event that there is when it first runs, unless it says that it starts at the beginning', async () => {
      class NoteAll extends NoteCounts {
        override readonly name = 'note-all';
        override readonly startFrom = 'beginning';
      }
      class NoteLater extends NoteCounts {
        override readonly name = 'note-later';
      }
      const [all, later]: [number[], number[]] = [[], []];
      const noting = (follower: typeof NoteCounts, seen: number[]) => ({
        provide: follower,
        inject: [EventStore],
        useFactory: (store: EventStore) => new follower(store, { beforeCommand: async (amount) => void seen.push(amount) }),
      });
      await first.count(1, 2);
      const providers = [noting(NoteAll, all), noting(NoteLater, later)];
      const second = await open({ providers });
      await second.process.run();
      await first.count(3);
      await second.close();
      const third = await open({ providers });
      await third.process.run();
      expect([all, later]).toEqual([[1, 2, 3], [3]]);
    });

    it('is called again with an event whose checkpoint was not stored, whose command then changes nothing', async () => {
      await first.count(1, 2);
      afterCommand = async () => {
        afterCommand = done;
        await renameTable('event_followers', 'away');
      };
      await first.process.run();
      await first.process.run();
      expect(logged).toEqual([expect.stringContaining('note-counts cannot continue and will retry: ')]);
      await renameTable('away', 'event_followers');
      await first.process.run();
      expect(called).toEqual([1, 1, 2]);
      expect(await first.noted()).toEqual([1, 2]);
    });

    it('is called by one of several instances', async () => {
      const instances = [first, await open(), await open()];
      const amounts = Array.from({ length: 60 }, (_, index) => index);
      await first.count(...amounts);
      await Promise.all(instances.map(({ process }) => process.run()));
      expect(called).toEqual(amounts);
    });

    it('is taken over when the instance that calls it says nothing for ten seconds, which then stores nothing and goes on nowhere', async () => {
      await first.count(1, 2, 3);
      const second = await open();
      const reached = holdEvents();
      const held = first.process.run();
      await reached;
      beforeCommand = done;
      clock.advance(LEASE - 1);
      await second.process.run();
      expect(called).toEqual([1]);
      clock.advance(1);
      await second.process.run();
      expect(called).toEqual([1, 1, 2, 3]);
      release();
      await held;
      await first.process.run();
      expect(called).toEqual([1, 1, 2, 3]);
      expect(await first.noted()).toEqual([1, 2, 3]);
    });

    it('tries a failed event again after growing pauses, with one line in the log each, while those behind it wait', async () => {
      beforeCommand = (amount) => (amount === 2 ? Promise.reject(new Error('no mail today')) : done());
      await first.count(1, 2, 3);
      const pauses: number[] = [];
      for (let pause = SECOND; pauses.length < 11; pause = Math.min(2 * pause, MAX_PAUSE)) {
        for (let count = 0; count < 3; count += 1) await first.process.run();
        clock.advance(pause - 1);
        await first.process.run();
        pauses.push(pause);
        expect(called).toEqual([1, ...pauses.map(() => 2)]);
        clock.advance(1);
      }
      const line = (pause: number) =>
        `note-counts failed on counted at position 2, which is tried again in ${pause / SECOND} s: Error: no mail today`;
      expect(logged).toEqual(pauses.map(line));
      beforeCommand = done;
      await first.process.run();
      expect(called.slice(-2)).toEqual([2, 3]);
      expect(await first.noted()).toEqual([1, 2, 3]);
    });

    it('keeps its pause in another instance, but not behind a clock that is set back', async () => {
      beforeCommand = () => Promise.reject(new Error('no mail today'));
      await first.count(1);
      await first.process.run();
      await first.close();
      const second = await open();
      await second.process.run();
      expect(called).toEqual([1]);
      clock.advance(-MAX_PAUSE);
      await second.process.run();
      expect(called).toEqual([1, 1]);
    });

    it('is not called when projections are rebuilt or the log is verified', async () => {
      await first.count(1, 2);
      await first.process.run();
      await first.rebuilder.rebuild('sums');
      expect(await first.verification.verify()).toEqual([]);
      await first.process.run();
      expect(called).toEqual([1, 2]);
    });

    it('is called with all that follows after the log has gone back, and no more with what is lost', async () => {
      await first.count(1, 2, 3);
      const reached = holdEvents();
      const held = first.process.run();
      await reached;
      await goBackTo(1n);
      await first.store.lastPosition();
      beforeCommand = done;
      release();
      await held;
      expect(called).toEqual([1]);
      await first.count(4, 5);
      await first.process.run();
      expect(called).toEqual([1, 4, 5]);
    });

    it('is called with what follows also where its checkpoint is behind the end of the log, or is gone', async () => {
      await first.count(1, 2, 3);
      await first.process.run();
      await goBackTo(1n);
      await first.count(4);
      await first.process.run();
      expect(called).toEqual([1, 2, 3, 4]);
      await execute(url, 'DELETE FROM "event_followers"');
      await first.process.run();
      await first.count(5);
      await first.process.run();
      expect(called).toEqual([1, 2, 3, 4, 5]);
    });

    it('is awaited at the end, after which another instance goes on at once', async () => {
      await first.count(1, 2);
      const reached = holdEvents();
      void first.process.run();
      await reached;
      const closed = first.close();
      beforeCommand = done;
      release();
      await closed;
      expect(called).toEqual([1]);
      const second = await open();
      await second.process.run();
      expect(called).toEqual([1, 2]);
    });

    it('tells how old the oldest event is that it has not handled, 0 if there is none', async () => {
      await first.count(1);
      await first.process.run();
      expect(await first.lateness()).toBe(0);
      const second = await open();
      await second.count(2);
      clock.advance(4 * SECOND);
      expect(await second.lateness()).toBe(4);
    });

    it('is called soon after a commit of any instance, and does not wait for another follower', async () => {
      let hasArrived: () => void = () => undefined;
      const arrived = new Promise<void>((resolve) => (hasArrived = resolve));
      class Held extends NoteCounts {
        override readonly name = 'held';
      }
      const isHeld = holdEvents();
      const seen: number[] = [];
      const beforeThird = (amount: number) => {
        seen.push(amount);
        if (amount === 3) hasArrived();
        return done();
      };
      const holding = {
        provide: Held,
        inject: [EventStore],
        useFactory: (store: EventStore) => new Held(store, { beforeCommand: (amount) => beforeCommand(amount) }),
      };
      const noting = {
        provide: NoteCounts,
        inject: [EventStore],
        useFactory: (store: EventStore) => new NoteCounts(store, { beforeCommand: beforeThird }),
      };
      const polling = await open({ polls: true, providers: [holding, noting] });
      await first.count(1);
      await polling.count(2, 3);
      await Promise.all([arrived, isHeld]);
      expect(seen).toEqual([1, 2, 3]);
    });

    it('of no known type, that depends on a request, or with the name of another one stops the start', async () => {
      class OfNoKnownType extends NoteCounts {
        override readonly types = ['countde'] as never;
      }
      const note = (provide: string) => ({ provide, useFactory: () => new NoteCounts(first.store) });
      for (const [providers, message] of [
        [[{ provide: OfNoKnownType, useFactory: () => new OfNoKnownType(first.store) }], 'note-counts follows countde'],
        [[RequestScopedFollower], 'The follower RequestScopedFollower must not depend on a request.'],
        [[note('one'), note('other')], 'Two followers are named note-counts: each needs its own name.'],
      ] as const) {
        await expect(open({ providers })).rejects.toThrow(message);
      }
    });

    /** As a restore in place does: the log ends at this position, and the counters say so too. */
    function goBackTo(position: bigint): Promise<void> {
      return tamperWith(
        url,
        `BEGIN;
         DELETE FROM "events" WHERE "position" > ${position};
         UPDATE "sequences" SET "last_value" = ${position}
           WHERE "last_value" > ${position} AND ("name" = 'position' OR "name" LIKE 'type:%');
         COMMIT`,
      );
    }
  });
}

@Injectable({ scope: Scope.REQUEST })
class RequestScopedFollower extends EventFollower<Counted> {
  readonly name = 'of-a-request';
  readonly types = ['counted'] as const;

  constructor(@Inject(REQUEST) readonly request: unknown) {
    super();
  }

  handle(): Promise<void> {
    return Promise.resolve();
  }
}
