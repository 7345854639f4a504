import { jest } from '@jest/globals';
import { LivenessError } from '#libs/testing';

const STEP_MILLISECONDS = 10;
const MAX_WAIT_MILLISECONDS = 120_000;
const REAL = ['nextTick', 'queueMicrotask', 'setImmediate', 'clearImmediate', 'performance', 'hrtime'] as const;

/** Has dates and timeouts of the test, and of the client in it, go by the test's own clock until the test is over. */
export function useVirtualTime(): void {
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: [...REAL], now: new Date('2026-06-01T12:00:00.000Z') });
  });
  afterEach(() => {
    jest.useRealTimers();
  });
}

/** The waits of clients that `withoutWaiting` ends: each client is given `onRetry`, which is called before a wait. */
const waits = { begun: 0 };
export const onRetry = (): void => {
  waits.begun += 1;
};

/** Has each wait for another attempt over as soon as it begins, until the call has come to an end. @throws LivenessError after two minutes */
export function withoutWaiting<Result>(call: Promise<Result>): Promise<Result> {
  waits.begun = 0;
  return during(call, () => {
    // A wait is the only timer then: that of the attempt before is cleared.
    for (; waits.begun > 0; waits.begun -= 1) jest.advanceTimersToNextTimer();
  });
}

/** The same for a call with a timeout beside what it waits for: time goes by so slowly that what is under way comes first. */
export function inFlyingTime<Result>(call: Promise<Result>): Promise<Result> {
  return during(call, () => jest.advanceTimersByTime(STEP_MILLISECONDS));
}

async function during<Result>(call: Promise<Result>, step: () => void): Promise<Result> {
  const progress = { isOver: false };
  const settled = call.then(
    () => (progress.isOver = true),
    () => (progress.isOver = true),
  );
  const deadline = performance.now() + MAX_WAIT_MILLISECONDS;
  while (!progress.isOver) {
    if (performance.now() > deadline) throw new LivenessError('The call of the client did not come to an end.');
    await new Promise((resolve) => setImmediate(resolve));
    step();
  }
  await settled;
  return call;
}

/** Resolves when it is so, which takes no time of the test's clock. @throws LivenessError after two minutes */
export async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + MAX_WAIT_MILLISECONDS;
  while (!condition()) {
    if (performance.now() > deadline) throw new LivenessError(`${String(condition)} did not come about.`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
