import { getLimits, planTerms } from './api-key.js';

describe('the plans', () => {
  it.each([
    ['free', 60, 1_000],
    ['pro', 300, 10_000],
    ['business', 1_000, 100_000],
  ] as const)('give %s the published limits', (plan, perMinute, perDay) => {
    expect(getLimits(planTerms({ plan }))).toEqual({ perMinute, perDay });
  });

  it('give enterprise the limits that were agreed', () => {
    expect(getLimits(planTerms({ plan: 'enterprise', perMinute: 5, perDay: 7 }))).toEqual({ perMinute: 5, perDay: 7 });
  });
});
