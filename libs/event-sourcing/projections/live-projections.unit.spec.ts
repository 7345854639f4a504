import { jest } from '@jest/globals';
import { SingleFlight } from './live-projections.js';

/** A flight whose runs a test ends as it likes; the result is the number of the run. */
function heldFlight() {
  const ends: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const flight = new SingleFlight(async () => {
    const number = ends.length + 1;
    await new Promise<void>((resolve, reject) => ends.push({ resolve, reject }));
    return number;
  });
  const begun = () => ends.length;
  return {
    flight,
    begun,
    untilBegun: (count: number) => until(() => begun() === count),
    end: (number: number) => ends[number - 1]?.resolve(),
    fail: (number: number) => ends[number - 1]?.reject(new Error('failed')),
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await turn();
}

describe('a single flight', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] }));
  afterEach(() => jest.useRealTimers());

  it('serves all who join within one turn of the event loop, and begins after the last of them', async () => {
    const { flight, begun, untilBegun, end } = heldFlight();
    const first = flight.join();
    await Promise.resolve();
    const second = flight.join();
    expect(begun()).toBe(0);
    await untilBegun(1);
    end(1);
    expect(await Promise.all([first, second])).toEqual([1, 1]);
  });

  it('makes later callers share the next run, which begins after the one before it', async () => {
    const { flight, begun, untilBegun, end } = heldFlight();
    const early = flight.join();
    await untilBegun(1);
    const late = [flight.join(), flight.join()];
    jest.advanceTimersByTime(19);
    for (let count = 0; count < 5; count += 1) await turn();
    expect(begun()).toBe(1);
    end(1);
    await untilBegun(2);
    end(2);
    expect(await Promise.all([early, ...late])).toEqual([1, 2, 2]);
  });

  it('waits 20 milliseconds for one that takes long', async () => {
    const { flight, untilBegun, end } = heldFlight();
    const stuck = flight.join();
    await untilBegun(1);
    const late = flight.join();
    await turn();
    jest.advanceTimersByTime(20);
    await untilBegun(2);
    end(2);
    expect(await late).toBe(2);
    end(1);
    expect(await stuck).toBe(1);
  });

  it('fails only for callers that share it, and lets the next begin', async () => {
    const { flight, untilBegun, end, fail } = heldFlight();
    const sharing = Promise.allSettled([flight.join(), flight.join()]);
    await untilBegun(1);
    const late = flight.join();
    fail(1);
    expect((await sharing).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await untilBegun(2);
    end(2);
    expect(await late).toBe(2);
  });
});
