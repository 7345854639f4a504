import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import { findFreePort } from './free-port.fixture.js';
import { THIS_MACHINE, type ServerHost } from './server-host.js';

const execute = promisify(execFile);

/** Debian keeps the programs of each version in a folder of its own, outside of PATH. */
const DEBIAN_FOLDER = '/usr/lib/postgresql';
const PATIENCE_SECONDS = '60';
/** PostgreSQL refuses to run as root, for whom this user runs it. */
const SERVER_USER = 'postgres';
const isRoot = process.getuid?.() === 0;

/** A PostgreSQL server of a test's own on this machine, which the test may stop and freeze. */
export type OwnPostgres = Awaited<ReturnType<typeof startOwnPostgres>>;

/** The files of a server at some moment. */
export interface BaseBackup {
  readonly folder: string;
  readonly url: string;
}

/**
 * Makes and starts a server with settings of its configuration. On another host than this machine it can be reached at all of its addresses.
 * It begins empty, or with a backup: as a copy, a standby, or a server that recovers.
 */
export async function startOwnPostgres(
  settings: Readonly<Record<string, string>> = {},
  host: ServerHost = THIS_MACHINE,
  { backup, as, encoding = 'UTF8' }: { backup?: BaseBackup; as?: 'standby' | 'recovery'; encoding?: string } = {},
) {
  const programs = findPostgresPrograms();
  const folder = await mkdtemp(join(tmpdir(), 'adoption-postgres-'));
  const data = join(folder, 'data');
  const port = await findFreePort();
  const given = Object.entries(settings).map(([name, value]) => `-c '${name}=${value}'`);
  // By TCP alone: the name of a socket in a folder of a folder may be too long.
  const listens = host === THIS_MACHINE ? host.address : '0.0.0.0';
  const options = [`-p ${port} -c listen_addresses=${listens} -c unix_socket_directories=`, ...given].join(' ');
  const logFile = join(folder, 'log');
  const control = async (...words: string[]): Promise<void> => {
    await asServerUser(host, join(programs, 'pg_ctl'), '-D', data, '-t', PATIENCE_SECONDS, '-w', ...words);
  };
  /** Starts the server again at the same URL. */
  const start = () => control('-l', logFile, '-o', options, 'start');
  const stop = (mode: 'fast' | 'immediate' = 'fast') => control('-m', mode, 'stop');
  /** Gives the processes that got the signal. */
  const signal = async (name: 'SIGSTOP' | 'SIGCONT') => {
    const first = await firstProcessOf(data);
    process.kill(first, name);
    // Those that it has started, among them the last that it started before it was halted.
    const started = await processesStartedBy(first);
    for (const pid of started) signalIfAlive(pid, name);
    return [first, ...started];
  };
  /** What is written to no file is lost. */
  const kill = async () => {
    const pids = await signal('SIGSTOP');
    for (const pid of pids) signalIfAlive(pid, 'SIGKILL');
    while (pids.some(isRunning)) await delay(5);
    // A process that nobody has asked about since it ended would pass for a server that runs.
    await rm(join(data, 'postmaster.pid'));
  };
  const remove = closeAtEnd(async () => {
    try {
      if (!existsSync(join(data, 'postmaster.pid'))) return;
      await signal('SIGCONT');
      await stop('immediate');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  // The server's user must own what it writes to.
  if (isRoot) await execute('chown', [SERVER_USER, folder]);
  if (backup) await asServerUser(THIS_MACHINE, 'cp', '-a', backup.folder, data);
  else {
    const words = ['-U', 'postgres', '-A', 'trust', '-E', encoding, '--locale=C', '--no-sync'];
    await asServerUser(THIS_MACHINE, join(programs, 'initdb'), '-D', data, ...words);
  }
  if (backup && as) {
    await asServerUser(THIS_MACHINE, 'touch', join(data, `${as}.signal`));
    if (as === 'standby') await appendFile(join(data, 'postgresql.auto.conf'), `primary_conninfo = '${backup.url}'\n`);
  }
  if (host !== THIS_MACHINE) await appendFile(join(data, 'pg_hba.conf'), 'host all all samenet trust\n');
  await start();
  const url = `postgres://postgres@${host.address}:${port}/postgres`;
  return {
    url,
    log: () => readFile(logFile, 'utf8'),
    start,
    stop,
    kill,
    async set(name: string, value: string) {
      await asServerUser(THIS_MACHINE, join(programs, 'psql'), '-d', url, '-c', `ALTER SYSTEM SET ${name} = '${value}'`);
      await control('reload');
    },
    promote: () => control('promote'),
    async takeBaseBackup(): Promise<BaseBackup> {
      const copy = join(folder, `backup-${randomUUID()}`);
      await asServerUser(THIS_MACHINE, join(programs, 'pg_basebackup'), '-d', url, '-D', copy, '-c', 'fast', '-X', 'stream', '--no-sync');
      return { folder: copy, url };
    },
    /** Connections stay open, and nothing answers. */
    freeze: async () => {
      await signal('SIGSTOP');
    },
    thaw: async () => {
      await signal('SIGCONT');
    },
    remove,
  };
}

/** The folder with the programs of the newest version that is installed. */
export function findPostgresPrograms(): string {
  const versions = existsSync(DEBIAN_FOLDER) ? readdirSync(DEBIAN_FOLDER).sort((one, other) => Number(other) - Number(one)) : [];
  const folders = [...versions.map((version) => join(DEBIAN_FOLDER, version, 'bin')), ...(process.env['PATH'] ?? '').split(delimiter)];
  const found = folders.find((folder) => existsSync(join(folder, 'initdb')));
  if (found === undefined) throw new Error(`No PostgreSQL server is installed: there is no initdb below ${DEBIAN_FOLDER} or in PATH.`);
  return found;
}

/** Runs a program of the server to its end. */
async function asServerUser({ enter }: ServerHost, ...command: readonly string[]): Promise<void> {
  const [program = '', ...words] = [...enter, ...(isRoot ? ['runuser', '-u', SERVER_USER, '--'] : []), ...command];
  await execute(program, words, { cwd: '/' });
}

async function firstProcessOf(data: string): Promise<number> {
  return Number.parseInt(await readFile(join(data, 'postmaster.pid'), 'utf8'), 10);
}

async function processesStartedBy(pid: number): Promise<number[]> {
  const { stdout } = await execute('pgrep', ['-P', String(pid)]);
  return stdout.split('\n').filter(Boolean).map(Number);
}

/** One that served a connection may have ended since it was seen. */
function signalIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.charAt(stat.lastIndexOf(')') + 2) !== 'Z';
  } catch {
    return false;
  }
}
