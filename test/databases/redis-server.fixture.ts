import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { Redis } from 'ioredis';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import { findFreePort } from './free-port.fixture.js';
import { THIS_MACHINE, type ServerHost } from './server-host.js';

/** A Redis server of a test's own, which it may stop. It keeps nothing on disk. */
export type RedisServer = Awaited<ReturnType<typeof createRedisServer>>;

/** On a free port; not started yet. On another host than this machine it can be reached at all addresses of that. */
export async function createRedisServer(host: ServerHost = THIS_MACHINE) {
  const port = await findFreePort();
  const url = `redis://${host.address}:${port}`;
  let running: ChildProcess | undefined;
  const kill = async () => {
    if (!running) return;
    const ended = once(running, 'exit');
    running.kill('SIGKILL');
    running = undefined;
    await ended;
  };
  closeAtEnd(kill);
  return {
    url,
    async start() {
      const reach = host === THIS_MACHINE ? ['--bind', '127.0.0.1'] : ['--bind', '0.0.0.0', '--protected-mode', 'no'];
      const command = ['redis-server', '--port', `${port}`, ...reach, '--save', '', '--appendonly', 'no'];
      const [program = '', ...words] = [...host.enter, ...command];
      running = spawn(program, words, { cwd: tmpdir() });
      const client = new Redis(url, { retryStrategy: () => 20, maxRetriesPerRequest: null });
      client.on('error', () => undefined);
      await client.ping();
      client.disconnect();
    },
    kill,
    async freeze() {
      running?.kill('SIGSTOP');
    },
    async thaw() {
      running?.kill('SIGCONT');
    },
  };
}

const hasRedisServer = spawnSync('redis-server', ['--version']).status === 0;

/** `describe` where Debian's `redis-server` is installed. Elsewhere it is said what is not run, and in CI it fails. */
export const describeWithRedisServer = hasRedisServer || process.env['CI'] ? describe : describeNotRun;

function describeNotRun(name: string, tests: () => void): void {
  process.stderr.write(`Not run, because there is no redis-server: ${name}\n`);
  describe.skip(name, tests);
}
