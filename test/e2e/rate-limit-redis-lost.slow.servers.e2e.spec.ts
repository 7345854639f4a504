import { Redis } from 'ioredis';
import { until } from '#libs/testing';
import { LimiterStore } from '../../src/rate-limiting/index.js';
import { InProcessLimiterStore } from '../../src/rate-limiting/store/in-process-limiter.store.js';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import { createRedisServer, describeWithRedisServer, type RedisServer } from '../databases/redis-server.fixture.js';
import { startInstances, type Instances } from './instances.fixture.js';
import type { Service } from './service.fixture.js';

const PETS = '/v1/pets';
const LIMIT = 60;

describeWithRedisServer('two instances whose Redis has lost what was counted', () => {
  let redis: RedisServer;
  let instances: Instances;
  let first: Service;
  let second: Service;
  let key: Awaited<ReturnType<Service['issueKey']>>;
  beforeEach(async () => {
    redis = await createRedisServer();
    await redis.start();
    instances = await startInstances(2, { url: redis.url, keyPrefix: 'lost:' }, { BAN_AFTER: '200', BAN_GRACE_SECONDS: '0' });
    closeAtEnd(() => instances.close());
    [first, second] = instances.all as [Service, Service];
    key = await first.issueKey({ plan: 'enterprise', perMinute: LIMIT, perDay: 1_000 });
  });

  const flush = async () => {
    const client = new Redis(redis.url);
    await client.flushall();
    client.disconnect();
  };
  const counting = (how: string) => until(() => instances.all.every(({ app }) => app.get(LimiterStore).counting === how));
  const restart = async () => {
    await redis.kill();
    await counting('alone');
    await redis.start();
    await counting('shared');
  };
  const send = async ({ client }: Service) => (await client.get(PETS, { key: key.token })).status;
  const admitted = async (count: number, ...services: readonly Service[]) => {
    const statuses = await Promise.all(Array.from({ length: count }, (_, index) => send(services[index % services.length] ?? first)));
    return statuses.filter((status) => status === 200).length;
  };

  it.each([
    ['FLUSHALL', flush],
    ['a restart', restart],
  ])('let a plan through exactly as often as it allows after %s, though one of them had counted nothing', async (_, lose) => {
    expect(await admitted(40, first)).toBe(40);
    await lose();
    expect(await admitted(LIMIT, second)).toBe(LIMIT - 40);
    expect(await admitted(LIMIT, first)).toBe(0);
  });

  it('let a plan through exactly as often as it allows when that happens again and again under requests to both', async () => {
    const counts = [];
    for (let round = 0; round < 6; round += 1) counts.push(...(await Promise.all([admitted(20, first, second), flush()])).slice(0, 1));
    expect(counts.reduce<number>((sum, count) => sum + Number(count), 0)).toBe(LIMIT);
  });

  it('keep a ban', async () => {
    while ((await send(first)) !== 429);
    await admitted(250, first);
    await flush();
    const answers = await Promise.all([first, second].map(({ client }) => client.get(PETS, { key: key.token })));
    expect(answers.map((answer) => answer.json()['code'])).toEqual(['key_banned', 'key_banned']);
  });

  it('learn from the database what the other has counted while Redis is away', async () => {
    expect(await admitted(40, first)).toBe(40);
    await redis.kill();
    await until(() => second.app.get(InProcessLimiterStore, { strict: false }).peek({ keyId: key.id })?.minuteUsed === 40);
    expect(await admitted(LIMIT, second)).toBe(LIMIT - 40);
  });
});
