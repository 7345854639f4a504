import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import SqliteConnection from 'better-sqlite3';
import { createSqliteDatabase } from '../databases/test-database.fixture.js';
import { ApiClient } from '../e2e/api-client.fixture.js';
import { report } from './system/figures.js';
import { notRun } from './system/not-run.js';
import { createSystem, type SystemUnderTest } from './system/system-under-test.fixture.js';
import { until } from './system/until.js';

const ALONE = 30;
const TOGETHER = 64;

/** What a process asks of its kernel, in order: `sync` when a sync has succeeded, `acknowledged` when an answer with 201 is sent. */
interface Trace {
  steps(): ('sync' | 'acknowledged')[];
  end(): Promise<void>;
}

/** Undefined where processes may not be traced. */
async function traceSyncs(pid: number): Promise<Trace | undefined> {
  const calls = 'trace=fsync,fdatasync,write,writev,sendto,sendmsg';
  const strace = spawn('strace', ['-f', '-s', '16', '-e', calls, '-p', String(pid)]);
  let output = '';
  strace.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const attached = until(() => output.includes(' attached') || hasEnded(strace)).then(() => output.includes(' attached'));
  const missing = once(strace, 'error').then(() => false);
  if (!(await Promise.race([attached, missing]))) return undefined;
  return {
    steps: () =>
      output.split('\n').flatMap((line) => {
        // A call that another thread interrupts is written in two lines, the second of which tells its outcome.
        if (/f(?:data)?sync(?:\(| resumed).*= 0$/.test(line)) return ['sync' as const];
        return line.includes('"HTTP/1.1 201 ') ? ['acknowledged' as const] : [];
      }),
    async end() {
      strace.kill('SIGINT');
      if (!hasEnded(strace)) await once(strace, 'close');
    },
  };
}

function hasEnded({ exitCode, signalCode }: ChildProcessWithoutNullStreams): boolean {
  return exitCode !== null || signalCode !== null;
}

/** The acknowledgements that each sync was followed by, before the next one; those before the first sync come first. */
function groupsOf(steps: readonly ('sync' | 'acknowledged')[]): { unsynced: number; groups: number[] } {
  const [unsynced = 0, ...runs] = steps
    .join(' ')
    .split('sync')
    .map((run) => run.split(' ').filter(Boolean).length);
  return { unsynced, groups: runs.filter((count) => count > 0) };
}

/** Runs `begin` while nobody can write, then waits for what it has begun. */
async function whileLocked(databaseUrl: string, begin: () => Promise<{ readonly begun: Promise<unknown> }>): Promise<void> {
  const other = new SqliteConnection(databaseUrl.slice('sqlite:'.length));
  other.exec('BEGIN IMMEDIATE');
  const { begun } = await begin();
  other.exec('COMMIT');
  other.close();
  await begun;
}

describe('on SQLite, an acknowledgement', () => {
  let system: SystemUnderTest;
  beforeEach(async () => (system = await createSystem(createSqliteDatabase)));
  afterEach(() => system.remove());

  it('comes after a sync of its own, or of the group that it was committed with', async () => {
    const service = await system.launch().listening;
    const client = new ApiClient(system.origin, system.key);
    const reader = new ApiClient(system.origin, system.key);
    const add = (name: string) => client.post('/v1/pets', JSON.stringify({ name, categoryId: 1 }));
    try {
      // The first use of a key is written down on its own, a second later.
      await add('first');
      const trace = await traceSyncs(service.pid);
      if (!trace) {
        notRun('the count of syncs', 'strace is missing or may not trace processes here');
        return;
      }
      for (let number = 0; number < ALONE; number += 1) await add(`alone ${number}`);
      await until(() => trace.steps().filter((step) => step === 'acknowledged').length >= ALONE);
      const alone = groupsOf(trace.steps());
      await whileLocked(system.databaseUrl, async () => {
        const begun = Promise.all(Array.from({ length: TOGETHER }, (_, number) => add(`together ${number}`)));
        // Answered one after another, by when what was sent before them has arrived.
        for (let read = 0; read < TOGETHER; read += 1) await reader.get('/v1/pets');
        return { begun };
      });
      await until(() => trace.steps().filter((step) => step === 'acknowledged').length >= ALONE + TOGETHER);
      await trace.end();
      const together = groupsOf(trace.steps()).groups.slice(alone.groups.length);
      report('syncs', {
        'acknowledged alone': ALONE,
        'syncs for those': alone.groups.length,
        'acknowledged together': TOGETHER,
        'syncs for those together': together.length,
      });
      expect(alone).toEqual({ unsynced: 0, groups: Array.from({ length: ALONE }, () => 1) });
      expect(together.length).toBeGreaterThan(0);
      expect(together.length).toBeLessThan(TOGETHER);
    } finally {
      client.close();
      reader.close();
      await service.stop('SIGKILL');
    }
  });
});
