import { Redis } from 'ioredis';
import { expectEventually } from '#libs/testing';
import { createRedisServer, describeWithRedisServer, type RedisServer } from '../databases/redis-server.fixture.js';
import { createWorkingDirectory, startBuiltService } from './built-service.fixture.js';
import { fetchDocumented } from './documented-traffic.fixture.js';
import { startInstances, type Instances } from './instances.fixture.js';
import { CountingWatch } from './rate-limit.fixture.js';
import type { Service } from './service.fixture.js';

const PETS = '/v1/pets';
const LIMIT = 60;

describeWithRedisServer('a Redis that loses its counts or is not there', () => {
  let redis: RedisServer;
  let instances: Instances;
  let first: Service;
  let second: Service;
  let key: Awaited<ReturnType<Service['issueKey']>>;
  let watch: CountingWatch;
  beforeEach(async () => {
    redis = await createRedisServer();
    await redis.start();
    instances = await startInstances(2, { url: redis.url, keyPrefix: 'lost:' }, { BAN_AFTER: '200', BAN_GRACE_SECONDS: '0' });
    [first, second] = instances.all as [Service, Service];
    watch = new CountingWatch();
    watch.watchExchanges();
    instances.all.forEach((service) => watch.watch(service));
    key = await first.issueKey({ plan: 'enterprise', perMinute: LIMIT, perDay: 1_000 });
  });
  afterEach(async () => {
    await instances.close();
    await redis.kill();
  });

  const flush = async () => {
    const client = new Redis(redis.url);
    await client.flushall();
    client.disconnect();
  };
  const send = async ({ client }: Service) => client.get(PETS, { key: key.token });
  const admitted = async (count: number, ...services: readonly Service[]) => {
    const answers = await Promise.all(Array.from({ length: count }, (_, index) => send(services[index % services.length] ?? first)));
    return answers.filter(({ status }) => status === 200).length;
  };

  it('lets both let a plan through exactly as often as it allows when it is lost again and again under requests to both, and keep a ban', () =>
    watch.judge(async () => {
      let sum = 0;
      for (let round = 0; round < 6; round += 1) sum += (await Promise.all([admitted(20, first, second), flush()]))[0];
      expect(sum).toBe(LIMIT);
      await admitted(250, first);
      await flush();
      const answers = await Promise.all([first, second].map(send));
      expect(answers.map((answer) => answer.json()['code'])).toEqual(['key_banned', 'key_banned']);
    }));

  it('lets a service start, which says once that it counts alone, and counts with the others as soon as it can', async () => {
    await redis.kill();
    const folder = await createWorkingDirectory();
    const service = await startBuiltService(folder.path, { REDIS_URL: redis.url, LOG_LEVEL: 'warn' });
    const linesWith = (text: string) =>
      service
        .output()
        .split('\n')
        .filter((line) => line.includes(text)).length;
    try {
      const authorization = `Bearer ${service.demoKey}`;
      const list = async () => (await fetchDocumented(`${service.origin}${PETS}`, { headers: { authorization } })).status;
      expect([await list(), await list()]).toEqual([200, 200]);
      await redis.start();
      await expectEventually(() => linesWith('Redis answers again'), 1);
      await redis.kill();
      await expectEventually(async () => [(await list()) < 500, linesWith('counts requests by itself')], [true, 2]);
      expect(linesWith('Redis answers again')).toBe(1);
      expect(await service.stop('SIGTERM')).toBe(0);
    } finally {
      await service.stop('SIGKILL');
      await folder.remove();
    }
  });
});
