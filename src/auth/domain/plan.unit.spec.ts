import { limitsOf, planTerms, PLANS } from './plan.js';

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

  it.each([{}, { perMinute: 5 }, { perDay: 5 }])('refuse enterprise without both limits: %j', (limits) => {
    expect(() => planTerms({ plan: 'enterprise', ...limits })).toThrow(
      expect.objectContaining({ code: 'invalid_request', message: expect.stringContaining('perMinute and perDay') }),
    );
  });

  it.each(PLANS.filter((plan) => plan !== 'enterprise'))('refuse limits for %s', (plan) => {
    expect(() => planTerms({ plan, perMinute: 5 })).toThrow(expect.objectContaining({ code: 'invalid_request' }));
    expect(() => planTerms({ plan, perDay: 5 })).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });
});
