import fc from 'fast-check';
import { identifier, sql, type DatabaseLocation } from '#libs/database';
import { TimeoutSchedule } from '#libs/event-sourcing';
import { SettableClock } from '#libs/testing';
import type { ContractDatabase } from './store-under-test.js';
import { openTimers, TIMERS_TABLE, type TimersUnderTest } from './timers.fixture.js';

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const LEASE = 3 * SECOND;

/** What timeouts promise, whatever database is under them. */
export function describeTimeoutsContract(name: string, databases: ContractDatabase): void {
  describe(`timeouts on ${name}`, () => {
    let location: DatabaseLocation;
    let remove: () => Promise<void>;
    let opened: TimersUnderTest[];
    let clock: SettableClock;
    /** The timers whose commands were issued, by all instances. */
    let issued: bigint[];
    let beforeFiring: (id: bigint) => Promise<void>;
    let logged: string[];
    let release: () => void;
    let first: TimersUnderTest;

    const log = (line: unknown, ...rest: unknown[]) => {
      if (rest.at(-1) === TimeoutSchedule.name) logged.push(String(line));
    };
    const logger = { log: () => undefined, warn: log, error: log };
    const open = async (): Promise<TimersUnderTest> => {
      const issue = (id: bigint) => {
        issued.push(id);
        return beforeFiring(id);
      };
      const timers = await openTimers(location, { clock, logger, beforeFiring: issue });
      opened.push(timers);
      return timers;
    };
    /** The time that many milliseconds from now. */
    const after = (milliseconds: number) => new Date(clock.now().getTime() + milliseconds);
    const times = (count: number, milliseconds: (index: number) => number) =>
      Array.from({ length: count }, (_, index) => after(milliseconds(index)));
    const renameTable = (from: string, to: string) =>
      first.database.write((transaction) => transaction.query(sql`ALTER TABLE ${identifier(from)} RENAME TO ${identifier(to)}`));

    beforeEach(async () => {
      ({ location, remove } = await databases.create());
      [opened, issued, logged] = [[], [], []];
      release = () => undefined;
      beforeFiring = () => Promise.resolve();
      clock = new SettableClock();
      first = await open();
    });
    afterEach(async () => {
      release();
      for (const each of opened) await each.close();
      await remove();
    });

    it('fire once when their time has come, not a millisecond before it, the oldest first', async () => {
      await first.set(after(2 * SECOND), after(SECOND), after(SECOND + 1));
      clock.advance(SECOND - 1);
      await first.schedule.run();
      expect(issued).toEqual([]);
      clock.advance(1);
      await first.schedule.run();
      expect(issued).toEqual([2n]);
      clock.advance(SECOND);
      for (let count = 0; count < 2; count += 1) await first.schedule.run();
      expect(issued).toEqual([2n, 3n, 1n]);
      expect(await first.fired()).toEqual(issued);
    });

    it('fire once though several instances look for them at the same time', async () => {
      const instances = [first, await open(), await open()];
      const ids = await first.set(...times(200, (index) => index));
      clock.advance(SECOND);
      await Promise.all(instances.map(({ schedule }) => schedule.run()));
      expect(inOrder(issued)).toEqual(ids);
      expect(inOrder(await first.fired())).toEqual(ids);
      expect(logged).toEqual([]);
    });

    it('are taken over when the instance that fires them says nothing for three seconds, and not before', async () => {
      const [ids, second, reached] = [await first.set(after(0)), await open(), holdFiring()];
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
      expect(await first.fired()).toEqual(ids);
    });

    it('are not held back by a lease of a clock that is set back since', async () => {
      await first.set(after(0));
      await first.schedule.run();
      clock.advance(-HOUR);
      const second = await open();
      const [id] = await second.set(after(0));
      await second.schedule.run();
      expect((await first.fired()).at(-1)).toBe(id);
    });

    it('fire once each after an hour in which no instance ran, and none of them again after a restart', async () => {
      const ids = await first.set(...times(1_000, (index) => index * 3 * SECOND));
      await first.close();
      clock.advance(HOUR);
      const second = await open();
      await second.schedule.run();
      expect(inOrder(issued)).toEqual(ids);
      expect(inOrder(await second.fired())).toEqual(ids);
      await second.close();
      clock.advance(HOUR);
      const third = await open();
      await third.schedule.run();
      expect(issued).toHaveLength(ids.length);
    });

    it('are tried once in a run, and do not wait for those that cannot fire', async () => {
      const kinds = fc.array(fc.boolean(), { minLength: 1, maxLength: 150 });
      const property = fc.asyncProperty(kinds, async (fires) => {
        [issued, logged] = [[], []];
        const ids = await first.set(...times(fires.length, (index) => index - fires.length));
        const poisoned = new Set(ids.filter((_, index) => !fires[index]));
        beforeFiring = (id) => (poisoned.has(id) ? Promise.reject(new Error('poisoned')) : Promise.resolve());
        await first.schedule.run();
        expect(inOrder(issued)).toEqual(ids);
        const line = `${poisoned.size} of the timeouts of timers did not fire, which is tried again: Error: poisoned`;
        expect(logged).toEqual(poisoned.size === 0 ? [] : [line]);
        poisoned.clear();
        await first.schedule.run();
        expect(inOrder((await first.fired()).slice(-ids.length))).toEqual(ids);
      });
      const hundredBefore = [...Array<boolean>(100).fill(false), ...Array<boolean>(50).fill(true)];
      await fc.assert(property, { numRuns: 10, examples: [[hundredBefore]] });
    });

    it('issue no command when the projection is built anew', async () => {
      await first.set(after(0), after(HOUR));
      await first.schedule.run();
      await first.rebuilder.rebuild('timers');
      await first.schedule.run();
      expect(issued).toEqual([1n]);
      expect(await first.fired()).toEqual([1n]);
    });

    it('go on when they can be read again, with one warning for all the time in which they could not', async () => {
      await first.set(after(0));
      for (let outage = 1; outage <= 2; outage += 1) {
        await renameTable(TIMERS_TABLE, 'away');
        for (let count = 0; count < 3; count += 1) await first.schedule.run();
        expect(logged).toHaveLength(outage);
        expect(logged.at(-1)).toContain('No timeout of timers can fire, which is tried again: ');
        await renameTable('away', TIMERS_TABLE);
        await first.schedule.run();
      }
      expect(await first.fired()).toEqual([1n]);
    });

    it('are awaited at the end, and nothing is begun behind them', async () => {
      await first.set(...times(100, () => 0));
      const reached = holdFiring();
      void first.schedule.run();
      await reached;
      const begun = issued.length;
      expect(begun).toBeLessThan(100);
      const closed = first.close();
      release();
      await closed;
      const second = await open();
      expect(await second.fired()).toHaveLength(begun);
      expect(issued).toHaveLength(begun);
    });

    it('tell how late the oldest of them is, 0 while none is due and nothing while that is not known', async () => {
      expect(await first.lateness()).toBe(0);
      const second = await open();
      await second.set(after(3 * SECOND), after(SECOND));
      expect(await second.lateness()).toBe(0);
      clock.advance(5 * SECOND);
      expect(await second.lateness()).toBe(4);
      await second.schedule.run();
      const [third, fourth] = [await open(), await open()];
      expect(await third.lateness()).toBe(0);
      await renameTable(TIMERS_TABLE, 'away');
      expect(await fourth.lateness()).toBeUndefined();
    });

    /** From now on commands wait until they are released. Resolves when one does. */
    function holdFiring(): Promise<void> {
      const gate = new Promise<void>((resolve) => (release = resolve));
      return new Promise<void>((resolve) => {
        beforeFiring = () => {
          resolve();
          return gate;
        };
      });
    }
  });
}

function inOrder(ids: readonly bigint[]): bigint[] {
  return [...ids].sort((one, other) => Number(one - other));
}
