import fc from 'fast-check';
import { toWindowLimits, WINDOWS, type Limits } from '../../auth/index.js';
import { limitHeaders } from '../admission/limit-headers.js';
import { CallerModel, DEFAULT_BANS } from '../../../test/e2e/limiter-model.fixture.js';
import { decide, mergeCounts, NEVER_BANNED, newCounts, retryAfter, type BanRules } from './decision.js';

const START = Date.UTC(2026, 0, 1, 12, 0, 18, 1);
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

const limits: fc.Arbitrary<Limits> = fc.record({ perMinute: fc.integer({ min: 1, max: 4 }), perDay: fc.integer({ min: 1, max: 12 }) });
const rules: fc.Arbitrary<BanRules> = fc.oneof(
  fc.constant(DEFAULT_BANS),
  fc.record({
    after: fc.nat(3),
    grace: fc.constantFrom(0, 2 * SECOND),
    ladder: fc.constantFrom([MINUTE], [SECOND, MINUTE, 5 * MINUTE, 25 * 60 * MINUTE]),
  }),
);
const pause = fc.oneof(
  { weight: 4, arbitrary: fc.nat(200) },
  { weight: 4, arbitrary: fc.constantFrom(SECOND, 2 * SECOND, MINUTE, 5 * MINUTE) },
  { weight: 2, arbitrary: fc.nat(2 * MINUTE) },
  { weight: 1, arbitrary: fc.constantFrom(DAY - 1, DAY) },
);
/** To the end of the minute or ban, to a moment before it, or to where the memory of bans ends. */
const toEnd = fc.constantFrom(-1, 0, DAY - 1, DAY);
const burst = fc.record({ pause, toEnd: fc.option(toEnd), limits, times: fc.integer({ min: 1, max: 15 }), isLogBehind: fc.boolean() });

describe('the limits of a key', () => {
  it('are those of the model, request by request, with all headers, whatever else the log knows or does not know of bans', () => {
    fc.assert(
      fc.property(fc.array(burst, { maxLength: 40, size: 'max' }), rules, (bursts, banRules) => {
        const model = new CallerModel(banRules);
        const counts = newCounts(WINDOWS);
        let now = START;
        for (const next of bursts) {
          now = next.toEnd === null ? now + next.pause : model.endOfWait(now) + next.toEnd;
          for (let sent = 0; sent < next.times; sent += 1) {
            const known = model.bans.length;
            const ban = { ...NEVER_BANNED, ...(next.isLogBehind ? model.bans.at(-2) : model.bans.at(-1)) };
            const expected = model.send(now, next.limits);
            const decision = decide(counts, { windows: toWindowLimits(next.limits), ban, rules: banRules }, now);
            const { outcome, newBan } = decision;
            expect({ outcome, headers: limitHeaders(decision), seconds: retryAfter(decision) }).toEqual(expected);
            expect(newBan).toEqual(model.bans.length > known ? { ...model.bans.at(-1), unbans: 0 } : undefined);
          }
        }
      }),
    );
  });

  it('do not end earlier than the headers said, also when the clock steps back by less than a minute', () => {
    const steps = fc.array(fc.record({ pause: fc.nat(MINUTE), lag: fc.nat(MINUTE - 1) }), { maxLength: 200 });
    fc.assert(
      fc.property(steps, limits, (schedule, allowed) => {
        const counts = newCounts(WINDOWS);
        let time = START;
        let before = [0, 0];
        for (const { pause: passed, lag } of schedule) {
          time += passed;
          const ends = decide(counts, { windows: toWindowLimits(allowed) }, time - lag).windows.map(({ endsAt }) => endsAt);
          expect(ends[0]).toBeGreaterThan(time - lag);
          expect(ends.map((end, index) => Math.max(end, before[index] ?? 0))).toEqual(ends);
          before = ends;
        }
      }),
    );
  });

  it('serve a client that waits for Retry-After after each wait, and never ban it', () => {
    const bursts = fc.array(fc.record({ pause: fc.nat(20 * SECOND), times: fc.integer({ min: 1, max: 40 }) }), { maxLength: 60 });
    const strict = fc.record({
      after: fc.integer({ min: 1, max: 3 }),
      grace: fc.constantFrom(1, 2 * SECOND),
      ladder: fc.constant([MINUTE]),
    });
    fc.assert(
      fc.property(bursts, strict, limits, (schedule, banRules, allowed) => {
        const counts = newCounts(WINDOWS);
        let now = START;
        let waited = false;
        for (const { pause: passed, times } of schedule) {
          now += passed;
          // A burst leaves before its first response is read.
          const send = () => decide(counts, { windows: toWindowLimits(allowed), rules: banRules }, now);
          const decisions = Array.from({ length: times }, send);
          expect(decisions.map(({ outcome }) => outcome)).not.toContain('banned');
          if (waited) expect(decisions[0]?.outcome).toBe('admitted');
          const last = decisions.at(-1);
          waited = last?.outcome === 'refused';
          if (last && waited) now += retryAfter(last) * SECOND;
        }
      }),
    );
  });

  it('are, of what two instances have counted, the higher count of the later window', () => {
    const pauses = fc.array(fc.constantFrom(0, MINUTE, DAY), { maxLength: 6 });
    fc.assert(
      fc.property(pauses, pauses, (...schedules) => {
        const [one, other] = [newCounts(WINDOWS), newCounts(WINDOWS)];
        for (const [index, counts] of [one, other].entries()) {
          let now = START;
          const terms = { windows: toWindowLimits({ perMinute: 9, perDay: 9 }) };
          for (const passed of schedules[index] ?? []) decide(counts, terms, (now += passed));
        }
        const before = structuredClone(one);
        mergeCounts(one, other);
        for (const [index, { number, used }] of one.windows.entries()) {
          const known = [before, other].flatMap(({ windows }) => windows.slice(index, index + 1));
          const later = Math.max(...known.map((count) => count.number));
          expect([number, used]).toEqual([later, Math.max(...known.filter((count) => count.number === later).map((count) => count.used))]);
        }
      }),
    );
  });
});
