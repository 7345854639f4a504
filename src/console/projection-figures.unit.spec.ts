import { RebuildPace } from './projection-figures.js';

describe('the pace of a rebuild', () => {
  const observed = (pace: RebuildPace, position: bigint, now: number) => pace.observe(new Map([['a', position]]), 1_000n, now).get('a');

  it('shows the remaining time once it has progressed', () => {
    const pace = new RebuildPace();
    expect(observed(pace, 100n, 0)).toEqual({ percent: 10, remainingSeconds: null, standsStill: false });
    expect(observed(pace, 300n, 2_000)).toEqual({ percent: 30, remainingSeconds: 7, standsStill: false });
  });

  it('says that it is stalled, and that it progresses again', () => {
    const pace = new RebuildPace();
    observed(pace, 100n, 0);
    observed(pace, 300n, 1_000);
    expect(observed(pace, 300n, 6_000)?.standsStill).toBe(false);
    expect(observed(pace, 300n, 6_001)).toEqual({ percent: 30, remainingSeconds: null, standsStill: true });
    expect(observed(pace, 301n, 7_000)).toMatchObject({ standsStill: false, remainingSeconds: 25 });
  });

  it('starts again with another build', () => {
    const pace = new RebuildPace();
    observed(pace, 100n, 0);
    pace.observe(new Map(), 1_000n, 500);
    expect(observed(pace, 900n, 1_000)).toEqual({ percent: 90, remainingSeconds: null, standsStill: false });
  });

  it('has an end in a log that is empty', () => {
    expect(new RebuildPace().observe(new Map([['a', 0n]]), 0n, 0).get('a')).toMatchObject({ percent: 0, remainingSeconds: null });
  });
});
