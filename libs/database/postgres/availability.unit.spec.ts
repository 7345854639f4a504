import { Logger } from '@nestjs/common';
import { simulate } from '#libs/testing';
import { Availability, type OpenConnection } from './availability.js';

const [TIMEOUT, LATENESS, POOL] = [300, 20, 3];
/** The pause before a probe, the timeout of one that begins before the return, and an answer. */
const FOUND_WITHIN = 250 + 2_500 + 250 + 100;

describe('whether a database server answers', () => {
  beforeAll(() => Logger.overrideLogger(false));

  it('is not lost while a connection is open, soon if none answers, for all who wait, and found again', () =>
    simulate(500, async (timers) => {
      timers.lateness = timers.integer(0, LATENESS);
      const [open, connecting, wrong] = [new Set<Connection>(), new Set<object>(), [] as string[]];
      let isUp = true;
      const answer = async () => {
        await timers.sleep(isUp ? timers.integer(0, 50) : TIMEOUT);
        if (!isUp) throw new Error('no answer');
      };
      const availability = new Availability(answer, timers);
      const isLost = () => availability.refusal !== undefined;
      const fail = (error: unknown, since: number) => {
        const wasLost = isLost();
        availability.failed(error, since);
        if (wasLost || !isLost()) return;
        if (open.size > 0) wrong.push('lost though a connection is open');
        if (connecting.size > 0) wrong.push('some still wait for a connection');
      };
      class Connection implements OpenConnection {
        answeredAt = timers.now();
        private isAsked = false;

        ask(): void {
          if (!this.isAsked) void this.query();
        }

        async query(): Promise<void> {
          const since = timers.now();
          this.isAsked = true;
          try {
            await answer();
            this.answeredAt = timers.now();
          } catch (error) {
            if (!open.delete(this)) return;
            availability.ended(this);
            fail(error, since);
          } finally {
            this.isAsked = false;
          }
        }
      }
      const connect = async () => {
        if (availability.refusal) return;
        const since = timers.now();
        const pending = { giveUpConnecting: () => void connecting.delete(pending) };
        connecting.add(pending);
        availability.connecting(pending);
        const failure = await answer().catch((error: unknown) => error);
        availability.connected(pending);
        if (!connecting.delete(pending)) return;
        const connection = new Connection();
        if (failure) fail(failure, since);
        else availability.opened(connection);
        if (!failure) open.add(connection);
      };
      // Only the first connection is used, so that others say nothing by themselves.
      const use = async (milliseconds: number) => {
        const end = timers.now() + milliseconds;
        while (timers.now() < end) {
          if (open.size + connecting.size < POOL) void connect();
          [...open][0]?.ask();
          await timers.sleep(timers.integer(0, 50));
        }
      };
      for (let turns = timers.integer(1, 4); turns > 0; turns -= 1) {
        await use(timers.integer(0, 2 * TIMEOUT));
        isUp = timers.random() < 0.5;
      }
      isUp = true;
      await timers.sleep(FOUND_WITHIN);
      expect(availability.refusal).toBeUndefined();
      await use(TIMEOUT);
      expect(open.size).toBe(POOL);
      isUp = false;
      await use(2.5 * TIMEOUT);
      expect(availability.refusal).toBeDefined();
      isUp = true;
      await timers.sleep(FOUND_WITHIN);
      expect(availability.refusal).toBeUndefined();
      availability.close();
      expect(wrong).toEqual([]);
    }));
});
