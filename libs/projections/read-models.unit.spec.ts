import { jest } from '@jest/globals';
import { SingleFlight } from './read-models.js';

/** Work that a test ends when it likes; the outcome is the number of the run. */
class Runs {
  readonly ends: (() => void)[] = [];

  readonly work = async (): Promise<number> => {
    const number = this.ends.length + 1;
    await new Promise<void>((resolve) => this.ends.push(resolve));
    return number;
  };

  get begun(): number {
    return this.ends.length;
  }

  end(number: number): void {
    this.ends[number - 1]?.();
  }
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await turn();
}

describe('a single flight', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] }));
  afterEach(() => jest.useRealTimers());

  it('serves all who ask within one turn of the event loop, and begins after the last of them has asked', async () => {
    const runs = new Runs();
    const flight = new SingleFlight(runs.work);
    const first = flight.join();
    await Promise.resolve();
    const second = flight.join();
    expect(runs.begun).toBe(0);
    await until(() => runs.begun === 1);
    runs.end(1);
    expect(await Promise.all([first, second])).toEqual([1, 1]);
  });

  it('does not serve those who ask after it has begun: they share the next', async () => {
    const runs = new Runs();
    const flight = new SingleFlight(runs.work);
    const early = flight.join();
    await until(() => runs.begun === 1);
    const late = [flight.join(), flight.join()];
    runs.end(1);
    await until(() => runs.begun === 2);
    runs.end(2);
    expect(await early).toBe(1);
    expect(await Promise.all(late)).toEqual([2, 2]);
  });

  it('begins after the one before it', async () => {
    const runs = new Runs();
    const flight = new SingleFlight(runs.work);
    const early = flight.join();
    await until(() => runs.begun === 1);
    const late = flight.join();
    jest.advanceTimersByTime(19);
    for (let count = 0; count < 5; count += 1) await turn();
    expect(runs.begun).toBe(1);
    runs.end(1);
    await early;
    await until(() => runs.begun === 2);
    runs.end(2);
    await late;
  });

  it('waits 20 milliseconds for one that takes long', async () => {
    const runs = new Runs();
    const flight = new SingleFlight(runs.work);
    const stuck = flight.join();
    await until(() => runs.begun === 1);
    const late = flight.join();
    await turn();
    jest.advanceTimersByTime(20);
    await until(() => runs.begun === 2);
    runs.end(2);
    expect(await late).toBe(2);
    runs.end(1);
    expect(await stuck).toBe(1);
  });

  it('fails for those who share it alone', async () => {
    let run = 0;
    const flight = new SingleFlight(() => {
      run += 1;
      return run === 1 ? Promise.reject(new Error('the first')) : Promise.resolve(run);
    });
    const outcomes = await Promise.allSettled([flight.join(), flight.join()]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await flight.join()).toBe(2);
  });

  it('lets the next begin also where it fails while they wait', async () => {
    let fail: (error: Error) => void = () => undefined;
    let run = 0;
    const flight = new SingleFlight(() => {
      run += 1;
      return run === 1 ? new Promise<number>((_, reject) => (fail = reject)) : Promise.resolve(run);
    });
    const failing = expect(flight.join()).rejects.toThrow('the first');
    await until(() => run === 1);
    const late = flight.join();
    fail(new Error('the first'));
    await failing;
    expect(await late).toBe(2);
  });
});
