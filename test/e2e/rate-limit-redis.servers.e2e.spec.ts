import { until } from '#libs/testing';
import { LimiterStore } from '../../src/rate-limiting/index.js';
import { InProcessLimiterStore } from '../../src/rate-limiting/store/in-process-limiter.store.js';
import { createRedisServer, describeWithRedisServer, type RedisServer } from '../databases/redis-server.fixture.js';
import { runHere } from './command-line.fixture.js';
import { startInstances, type Instances } from './instances.fixture.js';
import { openManagement, type Management } from './management.fixture.js';
import { CountingWatch, toldLimits } from './rate-limit.fixture.js';
import type { Service } from './service.fixture.js';

const PETS = '/v1/pets';
const LIMIT = 60;
const USED_UP = { minute: { remaining: 0 }, day: { remaining: 1_000 - LIMIT } };

interface Usage {
  readonly day: { readonly used: number };
}

describeWithRedisServer('two instances that count in a Redis which can be lost', () => {
  let redis: RedisServer;
  let instances: Instances;
  let first: Service;
  let second: Service;
  let management: Management;
  let key: Awaited<ReturnType<Service['issueKey']>>;
  beforeAll(async () => {
    redis = await createRedisServer();
    await redis.start();
    instances = await startInstances(2, { url: redis.url, keyPrefix: 'lost:' }, { BAN_AFTER: '0', CREATE_BURST_PER_SECOND: '3' });
    [first, second] = instances.all as [Service, Service];
    management = await openManagement(first);
  });
  beforeEach(async () => {
    key = await first.issueKey({ plan: 'enterprise', perMinute: LIMIT, perDay: 1_000 });
    await counting('shared');
  });
  afterAll(async () => {
    await instances.close();
    await redis.kill();
  });

  const counting = (how: string) => until(() => instances.all.every(({ app }) => app.get(LimiterStore).counting === how));
  const statuses = (count: number, ...services: readonly Service[]) => {
    const send = async (index: number) => (await services[index % services.length]?.client.get(PETS, { key: key.token }))?.status;
    return Promise.all(Array.from({ length: count }, (_, index) => send(index)));
  };
  const admitted = async (count: number, ...services: readonly Service[]) =>
    (await statuses(count, ...services)).filter((status) => status === 200).length;
  const readiness = async () => {
    const { parts } = (await (await management.get('/health/ready')).json()) as { parts: { counting: { state: string } } };
    return parts.counting.state;
  };
  const alone = () => management.sample('adoption_rate_limit_counting', { mode: 'alone' });

  it('answer every request without it, give nothing back that was used up, and count together as soon as it is back', async () => {
    expect([await readiness(), await alone()]).toEqual(['ready', 0]);
    await statuses(20, first);
    await redis.kill();
    expect(new Set(await statuses(10, first))).toEqual(new Set([200]));
    await counting('alone');
    await until(async () => (await readiness()) === 'degraded');
    expect(await alone()).toBe(1);
    expect((await first.client.get('/health/ready', { key: null })).status).toBe(200);
    expect(await admitted(LIMIT, first)).toBe(LIMIT - 30);
    const add = () => first.client.post(PETS, { name: 'Rex', categoryId: 7 });
    const added = await Promise.all(Array.from({ length: 5 }, add));
    expect(added.filter(({ status }) => status === 201)).toHaveLength(3);
    await redis.start();
    await counting('shared');
    expect([await admitted(5, first), await admitted(5, second), await alone()]).toEqual([0, 0, 0]);
  });

  it('learn from the database what the other has counted while Redis is away', async () => {
    expect(await admitted(40, first)).toBe(40);
    await redis.kill();
    await until(() => second.app.get(InProcessLimiterStore, { strict: false }).peek({ keyId: key.id })?.windows[0]?.used === 40);
    expect(await admitted(LIMIT, second)).toBe(LIMIT - 40);
    await redis.start();
  });

  it('let a key through exactly as often as is allowed, also after Redis was restarted or all of them were, and tell operators of it', async () => {
    const watch = new CountingWatch();
    instances.all.forEach((service) => watch.watch(service));
    // The command line has the time of this machine.
    instances.clock.set(new Date());
    await watch.judge(async () => expect(await admitted(LIMIT + 10, first, second)).toBe(LIMIT));
    const used = async () => {
      const { stdout } = await runHere({ DATABASE_URL: instances.databaseUrl }, ['keys', 'usage', `${key.id}`]);
      return (JSON.parse(stdout) as Usage).day.used;
    };
    await until(async () => (await used()) === LIMIT);
    // Each has read by its own refusal how many there were.
    await statuses(2, first, second);
    await redis.kill();
    await counting('alone');
    await redis.start();
    await counting('shared');
    await watch.judge(async () => expect(toldLimits(await second.client.get(PETS, { key: key.token }))).toMatchObject(USED_UP));
    await instances.stop();
    await redis.kill();
    await redis.start();
    const later = new CountingWatch();
    const next = await instances.add();
    later.watch(next);
    await later.judge(async () => expect(toldLimits(await next.client.get(PETS, { key: key.token }))).toMatchObject(USED_UP));
  });
});
