import fc from 'fast-check';
import type { Limits } from '../../auth/index.js';
import { decide, newCounts, tighterWindow, type BanRules, type Counts, type Decision } from './decision.js';

const START = Date.UTC(2026, 0, 1, 12, 0, 0);
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;
const NO_BANS: BanRules = { after: 0, grace: 0, ladder: [MINUTE] };
const NEVER_BANNED = { until: 0, step: 0, unbans: 0 };

/** Requests of one key, each some time after the one before. */
const schedules = fc.array(
  fc.oneof({ weight: 8, arbitrary: fc.nat(200) }, { weight: 2, arbitrary: fc.nat(2 * MINUTE) }, { weight: 1, arbitrary: fc.nat(DAY) }),
  { maxLength: 300 },
);
const limits: fc.Arbitrary<Limits> = fc.record({ perMinute: fc.integer({ min: 1, max: 20 }), perDay: fc.integer({ min: 1, max: 60 }) });
const rules: fc.Arbitrary<BanRules> = fc.record({
  after: fc.nat(5),
  grace: fc.constantFrom(0, 2 * SECOND),
  ladder: fc.constantFrom([MINUTE], [SECOND, MINUTE, 5 * MINUTE]),
});

interface Step {
  readonly now: number;
  readonly decision: Decision;
}

function run(pauses: readonly number[], allowed: Limits, banRules: BanRules, counts: Counts = newCounts()): Step[] {
  let now = START;
  return pauses.map((pause) => {
    now += pause;
    return { now, decision: decide(counts, { limits: allowed, ban: NEVER_BANNED }, banRules, now) };
  });
}

function countBy(steps: readonly Step[], windowOf: (now: number) => number): number[] {
  const counts = new Map<number, number>();
  for (const { now } of steps) counts.set(windowOf(now), (counts.get(windowOf(now)) ?? 0) + 1);
  return [...counts.values()];
}

describe('a key with limits', () => {
  it('is never let through more often than a minute or a day allows', () => {
    fc.assert(
      fc.property(schedules, limits, rules, (pauses, allowed, banRules) => {
        const admitted = run(pauses, allowed, banRules).filter(({ decision }) => decision.outcome === 'admitted');
        expect(Math.max(0, ...countBy(admitted, (now) => Math.floor(now / MINUTE)))).toBeLessThanOrEqual(allowed.perMinute);
        expect(Math.max(0, ...countBy(admitted, (now) => Math.floor(now / DAY)))).toBeLessThanOrEqual(allowed.perDay);
      }),
    );
  });

  it('is let through as often as both windows allow, since a refused request takes from neither', () => {
    fc.assert(
      fc.property(schedules, limits, (pauses, allowed) => {
        let left = { minute: -1, day: -1, minuteLeft: 0, dayLeft: 0 };
        for (const { now, decision } of run(pauses, allowed, NO_BANS)) {
          const [minute, day] = [Math.floor(now / MINUTE), Math.floor(now / DAY)];
          if (minute !== left.minute) left = { ...left, minute, minuteLeft: allowed.perMinute };
          if (day !== left.day) left = { ...left, day, dayLeft: allowed.perDay };
          const isFree = left.minuteLeft > 0 && left.dayLeft > 0;
          expect(decision.outcome).toBe(isFree ? 'admitted' : 'refused');
          if (isFree) left = { ...left, minuteLeft: left.minuteLeft - 1, dayLeft: left.dayLeft - 1 };
          expect(decision.windows.minute.limit - decision.windows.minute.used).toBe(left.minuteLeft);
          expect(decision.windows.day.limit - decision.windows.day.used).toBe(left.dayLeft);
        }
      }),
    );
  });

  it('never sees the end of a window go backwards, also when the clock steps back by less than a minute', () => {
    const steps = fc.array(fc.record({ pause: fc.nat(MINUTE), lag: fc.nat(MINUTE - 1) }), { maxLength: 200 });
    fc.assert(
      fc.property(steps, limits, (schedule, allowed) => {
        const counts = newCounts();
        let time = START;
        let before = { minute: 0, day: 0 };
        for (const { pause, lag } of schedule) {
          time += pause;
          const { minute, day } = decide(counts, { limits: allowed, ban: NEVER_BANNED }, NO_BANS, time - lag).windows;
          expect(minute.endsAt).toBeGreaterThanOrEqual(before.minute);
          expect(day.endsAt).toBeGreaterThanOrEqual(before.day);
          expect(minute.endsAt).toBeGreaterThan(time - lag);
          before = { minute: minute.endsAt, day: day.endsAt };
        }
      }),
    );
  });

  it('keeps what is used up when the clock is set back permanently', () => {
    const counts = newCounts();
    const terms = { limits: { perMinute: 2, perDay: 9 }, ban: NEVER_BANNED };
    const at = (now: number) => decide(counts, terms, NO_BANS, now);
    expect([at(START).outcome, at(START).outcome]).toEqual(['admitted', 'admitted']);
    const setBack = at(START - 3 * DAY);
    expect(setBack).toMatchObject({ outcome: 'refused', windows: { minute: { used: 2 }, day: { used: 2 } } });
    expect(setBack.windows.day.endsAt).toBeLessThanOrEqual(START - 2 * DAY);
  });
});

describe('the window in the response headers', () => {
  const windows = (minuteUsed: number, dayUsed: number) => ({
    minute: { limit: 5, used: minuteUsed, endsAt: 1 },
    day: { limit: 8, used: dayUsed, endsAt: 2 },
  });

  it.each([
    ['the minute, which has fewer left', 4, 5, 1],
    ['the day, which has fewer left', 1, 7, 2],
    ['the minute in a tie', 3, 6, 1],
    ['the minute if only it is used up', 5, 5, 1],
    ['the day if only it is used up', 2, 8, 2],
    ['the day when both are used up', 5, 8, 2],
    ['the day when both are overdrawn', 7, 9, 2],
  ])('is %s', (_name, minuteUsed, dayUsed, endsAt) => {
    expect(tighterWindow(windows(minuteUsed, dayUsed)).endsAt).toBe(endsAt);
  });
});
