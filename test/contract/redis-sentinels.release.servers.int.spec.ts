import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { until } from '#libs/testing';
import { PROBE, type DecisionReply } from '../../src/rate-limiting/store/redis/decision.script.js';
import { RedisLink } from '../../src/rate-limiting/store/redis/redis-link.js';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import { findFreePort } from '../databases/free-port.fixture.js';
import { describeWithRedisServer } from '../databases/redis-server.fixture.js';

const NAME = 'mymaster';

interface Server {
  readonly port: number;
  readonly client: Redis;
  kill(): Promise<void>;
}

/** Starts Redis with words of its command line, or lines of a file that it rewrites. Resolves when it answers. */
async function startRedis(words: readonly string[], lines: readonly string[] = ['save ""']): Promise<Server> {
  const folder = await mkdtemp(join(tmpdir(), 'adoption-redis-'));
  const port = await findFreePort();
  const file = join(folder, 'redis.conf');
  await writeFile(file, `port ${port}\nbind 127.0.0.1\ndir ${folder}\n${lines.join('\n')}\n`);
  await chmod(file, 0o600);
  const child = spawn('redis-server', [file, ...words]);
  const ended = once(child, 'exit');
  const kill = closeAtEnd(async () => {
    child.kill('SIGKILL');
    await ended;
    await rm(folder, { recursive: true, force: true });
  });
  const client = new Redis(port, '127.0.0.1', { retryStrategy: () => 20, maxRetriesPerRequest: null, disconnectTimeout: 0 });
  client.on('error', () => undefined);
  closeAtEnd(() => client.disconnect());
  const refused = ended.then(() => Promise.reject(new Error(`redis-server ended at its start: ${words.join(' ')}`)));
  await Promise.race([client.ping(), refused]);
  return { port, client, kill };
}

function openLink(url: string): RedisLink {
  const link = new RedisLink({ url, keyPrefix: 'test:' });
  closeAtEnd(() => link.close());
  return link;
}

describeWithRedisServer('a Redis of several servers', () => {
  it('is found by its sentinels, and its successor when it is lost', async () => {
    const first = await startRedis([]);
    const second = await startRedis(['--replicaof', '127.0.0.1', String(first.port)]);
    const sentinel = await startRedis(
      ['--sentinel'],
      [
        `sentinel monitor ${NAME} 127.0.0.1 ${first.port} 1`,
        `sentinel down-after-milliseconds ${NAME} 200`,
        `sentinel failover-timeout ${NAME} 1000`,
      ],
    );
    await until(async () => (await second.client.info('replication')).includes('master_link_status:up'));
    await until(async () => (await sentinel.client.info('sentinel')).includes('slaves=1'));
    const link = openLink(`redis+sentinel://127.0.0.1:${sentinel.port},127.0.0.1:${await findFreePort()}/${NAME}/2`);
    await link.open();
    const hit = () =>
      link.ask<DecisionReply, number | 'alone'>(
        (redis) => redis.decideRequest('test:hits', ...PROBE),
        (reply) => reply.at(-1) ?? 0,
        () => 'alone',
      );
    await until(async () => link.isUp && (await hit()) !== 'alone');
    await first.client.select(2);
    expect(await first.client.exists('test:hits')).toBe(1);

    await first.kill();
    await second.client.select(2);
    await until(async () => (await second.client.info('replication')).includes('role:master') && (await hit()) !== 'alone');
    expect(await second.client.exists('test:hits')).toBe(1);
  });

  it('is refused at a start as a cluster, by name', async () => {
    // Left to itself, the port of its bus is 10,000 higher: not a port at all after one above 55,535.
    const { port } = await startRedis(['--cluster-enabled', 'yes', '--cluster-port', String(await findFreePort())]);
    await expect(openLink(`redis://127.0.0.1:${port}`).open()).rejects.toThrow(
      'REDIS_URL is a Redis Cluster, which this service does not use: give it one Redis, or sentinels (redis+sentinel://)',
    );
  });
});
