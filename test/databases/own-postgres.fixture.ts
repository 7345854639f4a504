import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { findFreePort } from './free-port.fixture.js';

const execute = promisify(execFile);

/** Debian keeps the programs of each version in a folder of its own, outside of PATH. */
const DEBIAN_FOLDER = '/usr/lib/postgresql';
const PATIENCE_SECONDS = '60';

/** A PostgreSQL server of a test's own on this machine, which the test may stop and freeze. */
export interface OwnPostgres {
  /** Names its database, empty at first, as the role that may do everything; the same after each start. */
  readonly url: string;
  /** Starts the server again after `stop` and waits until it answers. */
  start(): Promise<void>;
  /** Ends the server: `fast` cuts all connections and writes everything down, `immediate` is as if it had crashed. */
  stop(mode?: 'fast' | 'immediate'): Promise<void>;
  /** Halts all of its processes where they are: connections stay open, and nothing answers. */
  freeze(): Promise<void>;
  /** Lets the processes that `freeze` halted go on. */
  thaw(): Promise<void>;
  /** Ends the server, frozen or not, and removes its files. */
  remove(): Promise<void>;
}

/** Makes and starts a server, which takes about a second. */
export async function startOwnPostgres(): Promise<OwnPostgres> {
  const programs = findPostgresPrograms();
  // Made by the server's user, who must own it.
  const folder = (await asServerUser('mktemp', '-d', '/tmp/adoption-postgres-XXXXXX')).trim();
  const data = join(folder, 'data');
  const port = await findFreePort();
  const settings = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1`;
  const control = async (...words: string[]): Promise<void> => {
    await asServerUser(join(programs, 'pg_ctl'), '-D', data, '-t', PATIENCE_SECONDS, '-w', ...words);
  };
  const start = () => control('-l', join(folder, 'log'), '-o', settings, 'start');
  const stop = (mode = 'fast') => control('-m', mode, 'stop');
  const signal = async (name: 'SIGSTOP' | 'SIGCONT') => {
    for (const pid of await processesOf(data)) signalIfAlive(pid, name);
  };

  await asServerUser(join(programs, 'initdb'), '-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync');
  await start();
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    start,
    stop,
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    async remove() {
      if (existsSync(join(data, 'postmaster.pid'))) {
        await signal('SIGCONT');
        await stop('immediate');
      }
      await asServerUser('rm', '-rf', folder);
    },
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

/** Runs a program to its end and returns what it printed. PostgreSQL refuses to run as root, for whom its own user runs it. */
async function asServerUser(...command: readonly string[]): Promise<string> {
  const [program = '', ...words] = process.getuid?.() === 0 ? ['runuser', '-u', 'postgres', '--', ...command] : command;
  return (await execute(program, words, { cwd: '/tmp' })).stdout;
}

/** The first process of a server, which starts no others once it is halted, and those that it has started. */
async function processesOf(data: string): Promise<number[]> {
  const [first = ''] = (await readFile(join(data, 'postmaster.pid'), 'utf8')).split('\n', 1);
  const { stdout } = await execute('pgrep', ['-P', first]);
  return [first, ...stdout.split('\n').filter(Boolean)].map(Number);
}

/** One that served a connection may have ended since it was seen. */
function signalIfAlive(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
