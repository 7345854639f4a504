import { conditionOf, titleOf } from './condition.mjs';
import { answered, failed, isLost, unconnected } from './connection.mjs';

describe('the connection of the console', () => {
  it('is not lost before anything was asked, nor after an answer', () => {
    expect(isLost(unconnected, 0)).toBe(false);
    expect(isLost(answered(1_000), 60_000)).toBe(false);
  });

  it('is lost at once where no answer has come at all', () => {
    expect(isLost(failed(unconnected, 'none', false), 0)).toBe(true);
  });

  it('outlives a failure until the last answer is two and a half seconds old', () => {
    const connection = failed(answered(1_000), 'none', false);
    expect(isLost(connection, 3_499)).toBe(false);
    expect(isLost(connection, 3_500)).toBe(true);
  });

  it('is lost at once where asking again is of no use', () => {
    expect(isLost(failed(answered(1_000), 'password', true), 1_001)).toBe(true);
  });
});

describe('the condition of the service', () => {
  const database = { name: 'database', state: 'ready' };
  const limiter = { name: 'limiter', state: 'degraded', detail: 'alone' };

  it.each([
    ['ready', { status: 'ready', draining: false, parts: [database, database] }, 'All 2 parts are ready.'],
    ['degraded', { status: 'ready', draining: false, parts: [database, limiter] }, 'It serves, with less than it should: limiter (alone).'],
    [
      'unavailable',
      { status: 'unavailable', draining: false, parts: [{ ...database, state: 'unavailable' }, limiter] },
      'Unavailable: database.',
    ],
    ['draining', { status: 'unavailable', draining: true, parts: [database] }, 'The service is ending and finishes what it has begun.'],
  ] as const)('is %s', (state, health, sentence) => {
    expect(conditionOf(health)).toEqual({ state, sentence });
  });

  it('is what the tab is called by', () => {
    expect(titleOf('lost', 'Animal adoption service')).toBe('Lost · Animal adoption service console');
  });
});
