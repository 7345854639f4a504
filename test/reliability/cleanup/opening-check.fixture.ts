import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { closeAtEnd } from '../../cleanup/close-at-end.js';
import { processesOf } from '../../cleanup/processes-of.mjs';
import { startOwnPostgres } from '../../databases/own-postgres.fixture.js';
import { createRedisServer } from '../../databases/redis-server.fixture.js';
import { createPostgresDatabase } from '../../databases/test-database.fixture.js';
import { RecordingClients } from '../history/history-client.fixture.js';
import { createHostNetwork } from '../network/host-network.fixture.js';
import { random } from '../system/run-form.js';
import { createSystem } from '../system/system-under-test.fixture.js';

// Not found by a run of the suite: cleanup.reliability.spec.ts runs it.
describe('a check that has opened all that a check can open', () => {
  it('fails, or goes on until it is killed', async () => {
    closeAtEnd(() => say('closed last'));
    closeAtEnd(() => {
      throw new Error('this cannot be closed');
    });
    const redis = await createRedisServer();
    await redis.start();
    await createPostgresDatabase();
    if (process.getuid?.() === 0) {
      mountFileSystem();
      await createHostNetwork();
    }
    const server = await startOwnPostgres();
    const system = await createSystem(async () => server, { REDIS_URL: redis.url });
    await system.launch().listening;
    const clients = new RecordingClients(3, { origin: system.origin, key: system.key, random });
    await clients.acknowledgeMore(1);
    await server.freeze();
    const programs = processesOf(tmpdir()).map((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
    say(`opened ${JSON.stringify({ folder: tmpdir(), programs })}`);
    if (process.env['CHECK'] === 'goes on') await new Promise(() => undefined);
    throw new Error('this check fails');
  });
});

function mountFileSystem(): void {
  const folder = mkdtempSync(join(tmpdir(), 'adoption-small-'));
  execFileSync('mount', ['-t', 'tmpfs', basename(folder), folder]);
  closeAtEnd(() => execFileSync('umount', [folder]));
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
