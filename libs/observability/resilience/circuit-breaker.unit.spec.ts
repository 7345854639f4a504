import { simulate } from '#libs/testing';
import { CircuitBreaker } from './circuit-breaker.js';

const [PAUSE, TIMEOUT, LATENESS] = [250, 100, 20];
const never = new Promise<never>(() => undefined);

describe('CircuitBreaker', () => {
  it('tells each loss and each return once, probes in its pauses, closes only for an answer of this time, and always does', () =>
    simulate(1_000, async (timers) => {
      timers.lateness = timers.integer(0, LATENESS);
      const wrong: string[] = [];
      let [isUp, isOpen, opening, mayClose, waitsSince, probes] = [true, false, 0, false, 0, 0];
      const probe = async () => {
        const [answers, probed, since] = [isUp, opening, timers.now()];
        const waited = since - waitsSince;
        if (!isOpen || waited < PAUSE || waited > PAUSE + TIMEOUT + 2 * LATENESS) wrong.push(`probes after ${waited} ms`);
        waitsSince = since;
        probes += 1;
        await timers.sleep(timers.integer(0, answers ? TIMEOUT / 2 : 2 * TIMEOUT));
        if (!answers && timers.random() < 0.3) throw new Error('refused');
        if (!answers && timers.random() < 0.3) await never;
        if (probed === opening && timers.now() - since <= TIMEOUT + LATENESS) mayClose = true;
      };
      const onOpen = () => {
        if (isOpen) wrong.push('opens twice');
        [isOpen, mayClose, waitsSince, opening] = [true, false, timers.now(), opening + 1];
      };
      const onClose = () => {
        if (!isOpen || !mayClose) wrong.push('closes for no answer');
        isOpen = false;
      };
      const breaker = new CircuitBreaker({ probe, pause: PAUSE, timeoutMilliseconds: TIMEOUT, onOpen, onClose }, timers);
      const steps = [
        () => {
          isUp = false;
          breaker.open('lost');
        },
        () => (isUp = true),
        // Somebody else was answered.
        () => {
          mayClose = true;
          breaker.close();
        },
      ];
      for (let count = 0; count < 8; count += 1) {
        await timers.sleep(timers.integer(0, 4 * PAUSE));
        steps[timers.integer(0, 2)]?.();
        expect(breaker.isOpen).toBe(isOpen);
      }
      isUp = true;
      breaker.open('lost for the last time');
      await timers.sleep(PAUSE + 2 * TIMEOUT + 4 * LATENESS);
      expect([breaker.isOpen, isOpen]).toEqual([false, false]);
      breaker.end();
      [probes, isUp] = [0, true];
      breaker.open('lost after the end');
      await timers.sleep(4 * PAUSE);
      expect({ isOpen, probes, wrong }).toEqual({ isOpen: true, probes: 0, wrong: [] });
    }));
});
