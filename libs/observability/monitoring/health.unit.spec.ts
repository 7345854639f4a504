import { jest } from '@jest/globals';
import { Health, type HealthIndicatorResult } from './health.js';

function healthOf(checks: Readonly<Record<string, () => HealthIndicatorResult | Promise<HealthIndicatorResult>>>): Health {
  const health = new Health();
  for (const [name, check] of Object.entries(checks)) health.register({ name, check });
  return health;
}

const ready = (): HealthIndicatorResult => ({ state: 'ready' });

describe('the health of the service', () => {
  it('is ready while every indicator is ready or degraded', async () => {
    const health = healthOf({ database: ready, counting: () => ({ state: 'degraded', detail: 'counts by itself' }) });
    expect(await health.report()).toEqual({
      status: 'ready',
      draining: false,
      parts: { database: { state: 'ready' }, counting: { state: 'degraded', detail: 'counts by itself' } },
    });
  });

  it('is unavailable with one indicator that says so, or whose check fails', async () => {
    const failing = () => Promise.reject(new Error('connection refused'));
    expect(await healthOf({ a: ready, b: failing }).report()).toMatchObject({
      status: 'unavailable',
      parts: { a: { state: 'ready' }, b: { state: 'unavailable', detail: 'connection refused' } },
    });
    expect(await healthOf({ a: () => ({ state: 'unavailable' }) }).report()).toMatchObject({ status: 'unavailable' });
  });

  it('is unavailable while an indicator does not answer, which is asked once, and comes back when it does', async () => {
    let answer: (state: HealthIndicatorResult) => void = () => undefined;
    const check = jest.fn(() => new Promise<HealthIndicatorResult>((resolve) => (answer = resolve)));
    const health = healthOf({ slow: check });
    const reports = await Promise.all(Array.from({ length: 50 }, () => health.report()));
    expect(new Set(reports.map(({ status }) => status))).toEqual(new Set(['unavailable']));
    expect(check).toHaveBeenCalledTimes(1);
    answer({ state: 'ready' });
    const asked = health.report();
    answer({ state: 'ready' });
    expect((await asked).status).toBe('ready');
  });
});
