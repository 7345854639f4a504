import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import fc from 'fast-check';
import { MetricsRegistry } from '#libs/observability';
import type { DatabaseLocation } from '#libs/database';
import { TimeoutSchedule } from '#libs/event-sourcing';
import { libraryMigrations, libraryModules, SettableClock } from '#libs/testing';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import type { ContractDatabases } from './contract-databases.fixture.js';

const SECOND = 1_000;
const LEASE = 3 * SECOND;

@Module({})
class TestModule {}

/** What timeouts promise, whatever database their leases are in. */
export function describeTimeoutsContract(databases: ContractDatabases): void {
  describe('timeouts', () => {
    let location: DatabaseLocation;
    let clock: SettableClock;
    /** When each of the timers is due that have not fired, by its id. */
    let timers: Map<bigint, number>;
    /** The timers whose commands were issued, by all instances. */
    let issued: bigint[];
    let beforeFiring: (id: bigint) => Promise<void>;
    let isReadable: boolean;
    let logged: string[];
    let release: () => void;
    let first: Awaited<ReturnType<typeof open>>;

    const log = (line: unknown, ...rest: unknown[]) => {
      if (rest.at(-1) === TimeoutSchedule.name) logged.push(String(line));
    };
    const logger = { log: () => undefined, warn: log, error: log };
    const read = async () => {
      if (!isReadable) throw new Error('no such table');
      return [...timers].sort(([one, oneAt], [other, otherAt]) => oneAt - otherAt || Number(one - other));
    };
    const source = {
      name: 'timers',
      due: async (now: Date, limit: number) => (await read()).flatMap(([id, at]) => (at <= now.getTime() ? [id] : [])).slice(0, limit),
      oldestDue: async () => (await read()).map(([, at]) => new Date(at))[0],
      async fire(id: bigint) {
        issued.push(id);
        await beforeFiring(id);
        timers.delete(id);
      },
    };
    /** Several instances behave like several processes. */
    const open = async () => {
      const composed = { events: [], projections: [], migrations: libraryMigrations };
      const module = { module: TestModule, imports: libraryModules(location, clock, composed) };
      const context = await NestFactory.createApplicationContext(module, { logger, abortOnError: false });
      context.get(TimeoutSchedule).register(source);
      const lateness = async () =>
        (await context.get(MetricsRegistry).getSingleMetric('oldest_due_timeout_seconds')?.get())?.values[0]?.value;
      closeAtEnd(() => context.close());
      closeAtEnd(() => release());
      return { schedule: context.get(TimeoutSchedule), lateness };
    };
    /** Sets a timer for each of these times from now on, with ids from 1 upwards. */
    const set = (...milliseconds: readonly number[]) => {
      timers = new Map(milliseconds.map((each, index) => [BigInt(index + 1), clock.now().getTime() + each]));
      return [...timers.keys()];
    };
    /** From now on commands wait until they are released. */
    const holdFiring = () => {
      const gate = new Promise<void>((resolve) => (release = resolve));
      return new Promise<void>((resolve) => {
        beforeFiring = () => {
          resolve();
          return gate;
        };
      });
    };

    beforeEach(async () => {
      ({ location } = await databases.create());
      [timers, issued, logged, isReadable] = [new Map(), [], [], true];
      beforeFiring = () => Promise.resolve();
      clock = new SettableClock();
      release = () => undefined;
      first = await open();
    });

    it('fire once when their time has come, not a millisecond before it, the oldest first', async () => {
      set(2 * SECOND, SECOND, SECOND + 1);
      for (const [passed, expected] of [
        [SECOND - 1, []],
        [1, [2n]],
        [SECOND, [2n, 3n, 1n]],
        [SECOND, [2n, 3n, 1n]],
      ] as const) {
        clock.advance(passed);
        await first.schedule.run();
        expect(issued).toEqual(expected);
      }
    });

    it('fire once though several instances look for them at the same time', async () => {
      const instances = [first, await open(), await open()];
      const ids = set(...Array.from({ length: 200 }, (_, index) => index));
      clock.advance(SECOND);
      await Promise.all(instances.map(({ schedule }) => schedule.run()));
      expect(inOrder(issued)).toEqual(ids);
      expect(logged).toEqual([]);
    });

    it('are taken over when the instance that fires them says nothing for three seconds, and not before', async () => {
      const [ids, second, reached] = [set(0), await open(), holdFiring()];
      const held = first.schedule.run();
      await reached;
      beforeFiring = () => Promise.resolve();
      clock.advance(LEASE - 1);
      await second.schedule.run();
      expect(issued).toEqual(ids);
      clock.advance(1);
      await second.schedule.run();
      expect(issued).toEqual([...ids, ...ids]);
      release();
      await held;
    });

    it('are not held back by a lease of a clock that is set back since', async () => {
      set(0);
      await first.schedule.run();
      clock.advance(-3_600 * SECOND);
      set(0);
      await (await open()).schedule.run();
      expect(issued).toEqual([1n, 1n]);
    });

    it('are tried once in a run, and do not wait for those that cannot fire', async () => {
      const property = fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 150 }), async (fires) => {
        [issued, logged] = [[], []];
        const ids = set(...fires.map((_, index) => index - fires.length));
        const poisoned = new Set(ids.filter((_, index) => !fires[index]));
        beforeFiring = (id) => (poisoned.has(id) ? Promise.reject(new Error('poisoned')) : Promise.resolve());
        await first.schedule.run();
        expect(inOrder(issued)).toEqual(ids);
        expect(new Set(timers.keys())).toEqual(poisoned);
        const line = `${poisoned.size} of the timeouts of timers did not fire, which is tried again: Error: poisoned`;
        expect(logged).toEqual(poisoned.size === 0 ? [] : [line]);
      });
      const hundredBefore = [...Array<boolean>(100).fill(false), ...Array<boolean>(50).fill(true)];
      await fc.assert(property, { numRuns: 10, examples: [[hundredBefore]] });
    });

    it('go on when they can be read again, with one warning for all the time in which they could not', async () => {
      set(0);
      for (let outage = 1; outage <= 2; outage += 1) {
        isReadable = false;
        for (let count = 0; count < 3; count += 1) await first.schedule.run();
        expect(logged).toHaveLength(outage);
        isReadable = true;
        await first.schedule.run();
      }
      expect(issued).toEqual([1n]);
    });

    it('are awaited at the end, and nothing is begun behind them', async () => {
      set(...Array<number>(100).fill(0));
      const reached = holdFiring();
      void first.schedule.run();
      await reached;
      const begun = issued.length;
      const ended = first.schedule.beforeApplicationShutdown();
      release();
      await ended;
      expect(begun).toBeLessThan(100);
      expect([issued.length, timers.size]).toEqual([begun, 100 - begun]);
    });

    it('tell how late the oldest of them is, 0 while none is due and nothing while that is not known', async () => {
      set(SECOND, 3 * SECOND);
      expect(await first.lateness()).toBe(0);
      clock.advance(5 * SECOND);
      expect(await (await open()).lateness()).toBe(4);
      isReadable = false;
      expect(await (await open()).lateness()).toBeUndefined();
    });
  });
}

function inOrder(ids: readonly bigint[]): bigint[] {
  return [...ids].sort((one, other) => Number(one - other));
}
