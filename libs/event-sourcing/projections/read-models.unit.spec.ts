import { simulate } from '#libs/testing';
import { SingleFlight } from './read-models.js';

const [MAX_WAIT, LATENESS] = [20, 5];

describe('a single flight', () => {
  it('gives each caller the first run that begins after it has asked, soon, though others fail or hang', () =>
    simulate(300, async (timers) => {
      timers.lateness = timers.integer(0, LATENESS);
      const runs: { readonly begunAfter: number; readonly isHanging: boolean; endsAt: number }[] = [];
      const wrong: string[] = [];
      let asked = 0;
      const flight = new SingleFlight(async () => {
        const last = runs.at(-1);
        if (last && last.endsAt > timers.now() && !last.isHanging) wrong.push('begins before the end of the one before');
        const [length, fails] = [timers.integer(0, 40), timers.random() < 0.2];
        const run = { begunAfter: asked, isHanging: length >= MAX_WAIT - LATENESS, endsAt: Infinity };
        const number = runs.push(run);
        await timers.sleep(length);
        run.endsAt = timers.now();
        if (fails) throw new Error(`${number}`);
        return number;
      }, timers);
      const ask = async () => {
        const [order, since] = [++asked, timers.now()];
        const number = await flight.join().catch((error: unknown) => Number((error as Error).message));
        const [before, own] = [runs[number - 2], runs[number - 1]];
        expect(own?.begunAfter).toBeGreaterThanOrEqual(order);
        expect(before?.begunAfter ?? 0).toBeLessThan(order);
        expect(timers.now()).toBe(own?.endsAt);
        expect(timers.now() - since).toBeLessThanOrEqual(MAX_WAIT + 40 + 2 * LATENESS);
      };
      const callers: Promise<void>[] = [];
      for (let count = 0; count < 20; count += 1) {
        callers.push(ask());
        if (timers.random() < 0.7) await timers.sleep(timers.integer(0, 15));
      }
      await Promise.all(callers);
      expect(wrong).toEqual([]);
    }));
});
