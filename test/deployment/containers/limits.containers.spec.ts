import { toldLimits } from '../../e2e/rate-limit.fixture.js';
import type { ApiClient } from '../../e2e/api-client.fixture.js';
import { linesOf, startDeployment, type Deployment } from './deployment.fixture.js';
import { until } from './until.fixture.js';

/** Of the plan free, and of an address without a key. */
const LIMIT = 60;
const SENT = 100;
/** Longer than it takes to send them all. */
const NEEDED_SECONDS = 30;

describe('limits of two instances behind the proxy', () => {
  let deployment: Deployment;
  let watcher: ApiClient;
  beforeAll(async () => {
    deployment = await startDeployment();
    watcher = await deployment.client('unlimited');
  });

  /** Sends them all at once, within one window, and counts the answers by their status. */
  async function statusesOf(send: (number: number) => Promise<{ readonly status: number }>): Promise<Record<number, number>> {
    let began = 0;
    await until(async () => {
      const { resetAt, minute } = toldLimits(await watcher.get('/v1/pets'));
      began = resetAt;
      return minute.secondsLeft >= NEEDED_SECONDS;
    }, 'a minute that has begun');
    const answers = await Promise.all(Array.from({ length: SENT }, (_, number) => send(number)));
    expect(toldLimits(await watcher.get('/v1/pets')).resetAt).toBe(began);
    const counts: Record<number, number> = {};
    for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  }

  it('let exactly as many requests of a key through as its plan allows, whichever instance gets them', async () => {
    const caller = await deployment.client('free');

    expect(await statusesOf(() => caller.get('/v1/pets'))).toEqual({ 200: LIMIT, 429: SENT - LIMIT });

    for (const instance of await deployment.containers()) {
      const log = linesOf(await deployment.shell(`docker logs ${instance}`));
      expect(log.filter((line) => line.includes('"status":429'))).not.toEqual([]);
    }
  });

  it('count a caller without a key by the address it has, not by one that it claims to have', async () => {
    const claimed = (number: number): string => `203.0.113.${number}`;

    expect(await statusesOf((number) => watcher.get('/v1/pets', { key: null, headers: { 'x-forwarded-for': claimed(number) } }))).toEqual({
      401: LIMIT,
      429: SENT - LIMIT,
    });
    // Somebody at another address still has all of theirs.
    const script = "fetch('http://production-proxy:8080/v1/pets').then(({ status }) => console.log(status))";
    expect(await deployment.compose('exec', '-T', 'production', 'node', '--eval', script)).toBe('401\n');
  });
});
