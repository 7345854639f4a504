import fc from 'fast-check';
import type { RecordedBan } from '../../auth/index.js';
import { retryAfter } from '../admission/rate-limit.hook.js';
import { decide, newCounts, type BanRules, type Decision } from './decision.js';

const START = Date.UTC(2026, 0, 1, 12, 0, 0);
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const RULES: BanRules = { after: 10, grace: 2 * SECOND, ladder: [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR] };
const NEVER_BANNED: RecordedBan = { until: 0, step: 0, unbans: 0 };

/** A key with a limit of one request a minute. */
class Key {
  private readonly counts = newCounts();
  recorded = NEVER_BANNED;

  constructor(private readonly rules: BanRules = RULES) {}

  sendAt(now: number): Decision {
    return decide(this.counts, { limits: { perMinute: 1, perDay: 1_000_000 }, ban: this.recorded }, this.rules, now);
  }

  /** Uses up the minute, then sends until it is banned: the ban that came of it. */
  provokeAt(now: number): RecordedBan | undefined {
    this.sendAt(now);
    this.sendAt(now);
    for (let refusals = 0; refusals <= this.rules.after; refusals += 1) {
      const { newBan } = this.sendAt(now + this.rules.grace);
      if (newBan) return newBan;
    }
    return undefined;
  }
}

function outcomes(key: Key, times: readonly number[]): string[] {
  return times.map((now) => key.sendAt(now).outcome);
}

describe('a ban', () => {
  it('comes with the refusal that exceeds BAN_AFTER, which is answered with it', () => {
    const key = new Key();
    outcomes(key, [START, START]);
    expect(outcomes(key, Array<number>(10).fill(START + 2 * SECOND))).toEqual(Array(10).fill('refused'));
    expect(key.sendAt(START + 2 * SECOND)).toMatchObject({
      outcome: 'banned',
      bannedUntil: START + 2 * SECOND + MINUTE,
      newBan: { until: START + 2 * SECOND + MINUTE, step: 1, unbans: 0 },
    });
  });

  it('does not come of refusals within the grace after the first one, however many', () => {
    const key = new Key();
    expect(outcomes(key, Array<number>(5_000).fill(START + 1))).not.toContain('banned');
    expect(outcomes(key, Array<number>(5_000).fill(START + 2 * SECOND))).not.toContain('banned');
    expect(outcomes(key, Array<number>(11).fill(START + 1 + 2 * SECOND))).toContain('banned');
  });

  it('counts the first refusal too when there is no grace', () => {
    const key = new Key({ ...RULES, after: 1, grace: 0 });
    expect(outcomes(key, [START, START, START])).toEqual(['admitted', 'refused', 'banned']);
  });

  it('does not come of refusals in different minutes', () => {
    const key = new Key();
    const times = Array.from({ length: 60 }, (_, minute) => Array<number>(8).fill(START + minute * MINUTE + 3 * SECOND)).flat();
    times.push(...Array<number>(10).fill(START + 60 * MINUTE));
    expect(outcomes(key, times)).not.toContain('banned');
  });

  it('is turned off by BAN_AFTER=0', () => {
    const key = new Key({ ...RULES, after: 0, grace: 0 });
    expect(outcomes(key, Array<number>(1_000).fill(START + 3 * SECOND))).not.toContain('banned');
  });

  it('refuses to its end without counting anything, and lets the next request through', () => {
    const key = new Key();
    const ban = key.provokeAt(START);
    const until = ban?.until ?? 0;
    const during = Array.from({ length: 1_000 }, (_, index) => key.sendAt(until - 1_000 + index));
    expect(new Set(during.map(({ outcome }) => outcome))).toEqual(new Set(['banned']));
    expect(during.some(({ newBan }) => newBan)).toBe(false);
    expect(key.sendAt(until)).toMatchObject({ outcome: 'admitted', windows: { minute: { used: 1 } } });
  });

  it('clears the count of refusals and the grace', () => {
    const key = new Key({ ...RULES, ladder: [SECOND] });
    const ban = key.provokeAt(START);
    const after = (ban?.until ?? 0) + SECOND;
    expect(outcomes(key, Array<number>(100).fill(after))).not.toContain('banned');
    expect(outcomes(key, Array<number>(10).fill(after + 2 * SECOND))).not.toContain('banned');
    expect(key.sendAt(after + 2 * SECOND).outcome).toBe('banned');
  });
});

describe('the ladder of bans', () => {
  const climb = (key: Key, from: number, pause: number, times: number) => {
    let now = from;
    return Array.from({ length: times }, () => {
      const ban = key.provokeAt(now);
      now = (ban?.until ?? now) + pause;
      return ban?.step;
    });
  };

  it('makes each ban longer than the one before, and repeats the last step', () => {
    const key = new Key();
    let now = START;
    const lengths = Array.from({ length: 6 }, () => {
      const until = key.provokeAt(now)?.until ?? 0;
      const length = until - now - RULES.grace;
      now = until + MINUTE;
      return length;
    });
    expect(lengths).toEqual([MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, HOUR, HOUR]);
    expect(climb(new Key(), START, MINUTE, 6)).toEqual([1, 2, 3, 4, 4, 4]);
  });

  it('starts again after 24 hours without a ban, and not a moment earlier', () => {
    const withoutGrace = { ...RULES, grace: 0 };
    expect(climb(new Key(withoutGrace), START, 24 * HOUR, 3)).toEqual([1, 1, 1]);
    expect(climb(new Key(withoutGrace), START, 24 * HOUR - 1, 3)).toEqual([1, 2, 3]);
  });

  it('is not confused by the log being behind', () => {
    const key = new Key();
    const ban = key.provokeAt(START);
    key.recorded = { until: START - HOUR, step: 1, unbans: 0 };
    expect(key.sendAt(START + MINUTE).bannedUntil).toBe(ban?.until);
  });
});

describe('a client that waits for Retry-After', () => {
  it('is served after each wait and never banned', () => {
    const schedules = fc.array(fc.record({ pause: fc.nat(20 * SECOND), burst: fc.integer({ min: 1, max: 40 }) }), { maxLength: 60 });
    const rules = fc.record({
      after: fc.integer({ min: 1, max: 3 }),
      grace: fc.constantFrom(1, 2 * SECOND),
      ladder: fc.constant([MINUTE]),
    });
    fc.assert(
      fc.property(
        schedules,
        rules,
        fc.integer({ min: 1, max: 10 }),
        fc.integer({ min: 1, max: 60 }),
        (bursts, banRules, perMinute, perDay) => {
          const counts = newCounts();
          let now = START;
          let waited = false;
          for (const { pause, burst } of bursts) {
            now += pause;
            const send = () => decide(counts, { limits: { perMinute, perDay }, ban: NEVER_BANNED }, banRules, now);
            // A burst leaves before its first answer is read.
            const decisions = Array.from({ length: burst }, send);
            expect(decisions.map(({ outcome }) => outcome)).not.toContain('banned');
            if (waited) expect(decisions[0]?.outcome).toBe('admitted');
            const last = decisions.at(-1);
            waited = last?.outcome === 'refused';
            if (last?.outcome === 'refused') now += retryAfter(last) * SECOND;
          }
        },
      ),
    );
  });
});
