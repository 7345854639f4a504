import { execFile, spawn } from 'node:child_process';
import { mkdtemp, open, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { stop } from './baseline.mjs';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const UNLIMITED = '1000000000';
const START_DEADLINE_MILLISECONDS = 60_000;

/** A folder for the data of one measurement. */
export async function createFolder() {
  const path = await mkdtemp(join(tmpdir(), 'adoption-bench-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** A database of the service, by its `DATABASE_URL`, worked on with the built command line. */
export class ServiceDatabase {
  /** @param root where the build is; this one when left out */
  constructor(folder, url = `sqlite:${join(folder.path, 'adoption.sqlite')}`, root = ROOT) {
    this.folder = folder;
    this.url = url;
    this.root = root;
    this.deployment = 'production';
  }

  get environment() {
    return { ...process.env, NODE_ENV: 'production', DEPLOYMENT: this.deployment, DATABASE_URL: this.url };
  }

  /** Runs a command of the command line and gives what it printed. */
  async command(...given) {
    const { stdout } = await run(process.execPath, [...profiling(), join(this.root, 'scripts/run-built.mjs'), 'cli', ...given], {
      cwd: this.folder.path,
      env: this.environment,
      maxBuffer: 1e9,
    });
    return stdout;
  }

  /** A key of an enterprise plan that no measurement uses up. */
  async createKey(scopes = 'pets,graphql') {
    const limits = ['--plan', 'enterprise', '--per-minute', UNLIMITED, '--per-day', UNLIMITED];
    return JSON.parse(await this.command('keys', 'create', '--name', 'bench', ...limits, '--scopes', scopes)).key;
  }

  /** @param lines an iterable of NDJSON lines; gives the summary of `pets import` */
  async import(lines) {
    const file = join(this.folder.path, 'animals.ndjson');
    await writeFile(file, lines);
    const summary = JSON.parse(await this.command('pets', 'import', file));
    await rm(file);
    return summary;
  }
}

/** Starts the built service as production does, its log in a file, and waits for its first response. */
export async function startService(database, { name = 'service', environment = {} } = {}) {
  const port = await freePort();
  const logFile = join(database.folder.path, `${name}-${port}.log`);
  const log = await open(logFile, 'a');
  const startedAt = performance.now();
  const child = spawn(process.execPath, [...profiling(), join(database.root, 'scripts/run-built.mjs'), 'main'], {
    cwd: database.folder.path,
    env: { ...database.environment, HOST: '127.0.0.1', PORT: `${port}`, MANAGEMENT_PORT: '0', ...environment },
    stdio: ['ignore', log.fd, log.fd],
  });
  await log.close();
  const origin = `http://127.0.0.1:${port}`;
  await answers(origin, child, logFile);
  const secondsToReady = (performance.now() - startedAt) / 1_000;
  const clearLog = () => truncate(logFile);
  return { name, origin, pid: child.pid, child, secondsToReady, clearLog, stop: () => stop(child) };
}

function profiling() {
  const folder = process.env.CPU_PROFILE_FOLDER;
  return folder ? ['--cpu-prof', `--cpu-prof-dir=${folder}`] : [];
}

async function answers(origin, child, logFile) {
  const deadline = performance.now() + START_DEADLINE_MILLISECONDS;
  for (;;) {
    const answer = await fetch(`${origin}/v1/pets`).catch(() => undefined);
    if (answer && answer.status < 500) return;
    if (child.exitCode !== null) throw new Error(`The service did not start: ${await readFile(logFile, 'utf8')}`);
    if (performance.now() > deadline) throw new Error('The service did not answer in time.');
    await delay(5);
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
