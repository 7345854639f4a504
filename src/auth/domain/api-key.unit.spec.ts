import { limitsOf, planTerms } from './api-key.js';

describe('the plans', () => {
  it.each([
    ['free', 60, 1_000],
    ['pro', 300, 10_000],
    ['business', 1_000, 100_000],
  ] as const)('give %s the published limits', (plan, perMinute, perDay) => {
    expect(limitsOf(planTerms({ plan }))).toEqual({ perMinute, perDay });
  });

  it('give enterprise the limits that were agreed', () => {
    expect(limitsOf(planTerms({ plan: 'enterprise', perMinute: 5, perDay: 7 }))).toEqual({ perMinute: 5, perDay: 7 });
  });
});
