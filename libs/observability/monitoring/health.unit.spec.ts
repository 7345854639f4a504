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

  it('checks an indicator that does not answer once, however many ask', async () => {
    const check = jest.fn(() => new Promise<HealthIndicatorResult>(() => undefined));
    const health = healthOf({ frozen: check });
    await Promise.all(Array.from({ length: 50 }, () => health.report()));
    expect(await health.report()).toMatchObject({ parts: { frozen: { state: 'unavailable' } } });
    expect(check).toHaveBeenCalledTimes(1);
  });

  it('comes back when the indicator answers again', async () => {
    let answer: (state: HealthIndicatorResult) => void = () => undefined;
    const health = healthOf({ slow: () => new Promise<HealthIndicatorResult>((resolve) => (answer = resolve)) });
    expect((await health.report()).status).toBe('unavailable');
    answer({ state: 'ready' });
    const asked = health.report();
    answer({ state: 'ready' });
    expect((await asked).status).toBe('ready');
  });
});
