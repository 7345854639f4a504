import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import fc from 'fast-check';
import { Database, DatabaseModule } from '#libs/database';
import { WINDOWS } from '../../src/auth/index.js';
import { enterWindows, newCounts, type Counts } from '../../src/rate-limiting/domain/decision.js';
import { createRateLimitCounters, loadCounters, saveCounters, toRow } from '../../src/rate-limiting/store/counter-persistence.js';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import type { ContractDatabases } from './contract-databases.fixture.js';

@Module({})
class TestModule {}

const MINUTE = 60_000;
/** The last minute of a day and the first of the next one. */
const MIDNIGHT = Date.UTC(2026, 0, 2);

/** What the table of counters promises on every database. */
export function describeCounterTableContract(databases: ContractDatabases): void {
  describe('the table of counters', () => {
    let database: Database;
    beforeAll(async () => {
      const options = { location: (await databases.create()).location, purpose: 'service' as const };
      const imports = [DatabaseModule.forRoot({ ...options, migrations: [createRateLimitCounters] })];
      const context = await NestFactory.createApplicationContext({ module: TestModule, imports }, { logger: false, abortOnError: false });
      closeAtEnd(() => context.close());
      database = context.get(Database);
    });

    let keyId = 0n;
    const save = (counts: Counts) => database.transaction((transaction) => saveCounters(transaction, [toRow([keyId, counts])]));
    const stored = async () => (await loadCounters(database.reader, [keyId])).get(keyId);
    beforeEach(() => (keyId += 1n));

    /** What is counted of a key after each of its requests. */
    function countsAfter(pauses: readonly number[], from: number): Counts[] {
      const counts = newCounts(WINDOWS);
      let now = from;
      return pauses.map((pause) => {
        now += pause;
        enterWindows(counts, now);
        for (const window of counts.windows) window.used += 1;
        return structuredClone(counts);
      });
    }

    it('holds what was counted last, whichever instance saves first', async () => {
      const pauses = fc.array(fc.nat(MINUTE / 12), { minLength: 1, maxLength: 12 });
      const property = fc.asyncProperty(pauses, fc.infiniteStream(fc.nat()), fc.nat(MINUTE / 4), async (schedule, draws, before) => {
        keyId += 1n;
        const counted = countsAfter(schedule, MIDNIGHT - before);
        const shuffled = counted
          .map((counts) => ({ counts, order: Number(draws.next().value) }))
          .sort((one, other) => one.order - other.order);
        for (const { counts } of shuffled) await save(counts);
        expect(await stored()).toEqual(counted.at(-1));
      });
      await fc.assert(property, { numRuns: 20 });
    });

    it('follows a clock that is set back for good, but keeps what is used up of the day', async () => {
      const [later] = countsAfter([0], MIDNIGHT);
      const earlier = countsAfter([0, 1, 2], MIDNIGHT - 3 * MINUTE).at(-1);
      if (!later || !earlier) throw new Error('Nothing was counted.');
      await save(later);
      await save(earlier);
      expect(await stored()).toEqual(earlier);
      const [minute, day] = earlier.windows;
      if (!minute || !day) throw new Error('A window is missing.');
      const before = { ...minute, number: minute.number - 5, used: 1 };
      await save({ ...earlier, windows: [before, { ...day, used: 1 }] });
      expect((await stored())?.windows).toEqual([before, { ...day, used: 3 }]);
    });

    it('overwrites the refusals, which a ban clears', async () => {
      const [counts] = countsAfter([0], MIDNIGHT);
      if (!counts) throw new Error('Nothing was counted.');
      await save({ ...counts, refusals: 5 });
      await save({ ...counts, refusals: 0 });
      expect(await stored()).toEqual(counts);
    });
  });
}
