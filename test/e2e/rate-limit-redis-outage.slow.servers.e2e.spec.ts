import { LimiterStore } from '../../src/rate-limiting/index.js';
import { createRedisServer, describeWithRedisServer, type RedisServer } from '../databases/redis-server.fixture.js';
import type { Answer } from './api-client.fixture.js';
import { createWorkingDirectory, startBuiltService } from './built-service.fixture.js';
import { fetchDocumented } from './documented-traffic.fixture.js';
import { startInstances, type Instances } from './instances.fixture.js';
import { openManagement } from './management.fixture.js';
import { toldLimits } from './rate-limit.fixture.js';

const PETS = '/v1/pets';
const ROOMY = { plan: 'enterprise', perMinute: 1_000_000, perDay: 1_000_000 } as const;

describeWithRedisServer('while Redis is away', () => {
  let redis: RedisServer;
  let instances: Instances;
  let key: string;
  beforeEach(async () => {
    redis = await createRedisServer();
    await redis.start();
    instances = await startInstances(2, { url: redis.url, keyPrefix: 'outage:' }, { BAN_AFTER: '0', CREATE_BURST_PER_SECOND: '3' });
    key = (await instances.next().issueKey(ROOMY)).token;
  });
  afterEach(async () => {
    await redis.thaw();
    await instances.close();
    await redis.kill();
  });

  const list = (service = instances.next()) => service.client.get(PETS, { key });
  const lists = (count: number) => Promise.all(Array.from({ length: count }, () => list()));
  const used = (answer: Answer) => ROOMY.perMinute - toldLimits(answer).minute.remaining;
  const counting = () => instances.all.map(({ app }) => app.get(LimiterStore).counting);
  const allCount = async (how: string) => {
    while (counting().some((found) => found !== how)) await lists(2);
  };

  it.each([
    ['frozen', () => redis.freeze(), () => redis.thaw()],
    ['killed', () => redis.kill(), () => redis.start()],
  ])('%s, every request is answered and counted alone, until it is back', async (_how, end, begin) => {
    await lists(10);
    expect(counting()).toEqual(['shared', 'shared']);
    await end();
    const first = await lists(20);
    await allCount('alone');
    const later = await lists(20);
    expect([...first, ...later].map(({ status }) => status)).toEqual(Array(40).fill(200));
    expect(counting()).toEqual(['alone', 'alone']);
    await begin();
    await allCount('shared');
    expect((await lists(10)).map(({ status }) => status)).toEqual(Array(10).fill(200));
  });

  it('nobody gets back what was used up before, nor what was used up meanwhile', async () => {
    await lists(20);
    for (const service of instances.all) await list(service);
    await redis.kill();
    await allCount('alone');
    const [first] = instances.all;
    const alone = used(await list(first));
    expect(alone).toBeGreaterThan(20);
    await redis.start();
    await allCount('shared');
    expect(used(await list(first))).toBeGreaterThan(alone);
    expect(used(await list(instances.all[1]))).toBeGreaterThan(alone);
  });

  it('the service stays ready, and its management port shows who counts', async () => {
    const service = instances.next();
    const management = await openManagement(service);
    const part = async () => {
      const { parts } = (await (await management.get('/health/ready')).json()) as { parts: { counting: { state: string } } };
      return parts.counting;
    };
    const alone = () => management.sample('adoption_rate_limit_counting', { mode: 'alone' });
    expect([await part(), await alone()]).toEqual([{ state: 'ready', detail: 'shared' }, 0]);
    await redis.kill();
    await allCount('alone');
    expect(await alone()).toBe(1);
    while ((await part()).state !== 'degraded');
    expect((await service.client.get('/health/ready', { key: null })).status).toBe(200);
    await redis.start();
    await allCount('shared');
    expect(await alone()).toBe(0);
  });

  it('limits hold in each instance', async () => {
    await redis.kill();
    await allCount('alone');
    const { token } = await instances.next().issueKey({ plan: 'enterprise', perMinute: 5, perDay: 100 });
    for (const { client } of instances.all) {
      const answers = await Promise.all(Array.from({ length: 8 }, () => client.get(PETS, { key: token })));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(5);
      const added = await Promise.all(Array.from({ length: 5 }, () => client.post(PETS, { name: 'Rex', categoryId: 7 }, { key })));
      expect(added.filter(({ status }) => status === 201)).toHaveLength(3);
    }
  });
});

describeWithRedisServer('a service that starts without Redis', () => {
  it('serves alone, says once that it does, and counts with the others as soon as it can', async () => {
    const redis = await createRedisServer();
    const folder = await createWorkingDirectory();
    const service = await startBuiltService(folder.path, { REDIS_URL: redis.url, LOG_LEVEL: 'warn' });
    try {
      const authorization = `Bearer ${service.demoKey}`;
      const list = async () => (await fetchDocumented(`${service.origin}${PETS}`, { headers: { authorization } })).status;
      expect([await list(), await list()]).toEqual([200, 200]);
      await redis.start();
      while (!service.output().includes('Redis answers again')) expect(await list()).not.toBe(500);
      await redis.kill();
      while (linesWith('counts requests by itself').length < 2) await list();
      expect(linesWith('counts requests by itself')).toHaveLength(2);
      expect(linesWith('Redis answers again')).toHaveLength(1);
      expect(await service.stop('SIGTERM')).toBe(0);
    } finally {
      await service.stop('SIGKILL');
      await folder.remove();
      await redis.kill();
    }

    function linesWith(text: string): string[] {
      return service
        .output()
        .split('\n')
        .filter((line) => line.includes(text));
    }
  });
});
