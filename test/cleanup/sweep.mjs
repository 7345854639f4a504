// Waits for the end of its standard input, which a run of Jest keeps open until it ends, in whichever way. Then it clears away
// what the run has left: processes, network namespaces, mounts, databases, and the run's folder. Usage: node sweep.mjs FOLDER
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { databasePrefix, postgresUrl } from '../databases/servers.mjs';
import { removeNamespaces } from './network-namespaces.mjs';

const PATIENCE_MILLISECONDS = 10_000;
const folder = process.argv[2];

await once(process.stdin.resume(), 'end');
for (const step of [endProcesses, removeNamespaces, unmount, dropDatabases, removeFolder]) {
  try {
    await step(folder);
  } catch (error) {
    console.error(`Not all that the tests have left could be cleared away: ${error}`);
  }
}

/** In good order, because a PostgreSQL that is killed leaves its shared memory behind; what is halted cannot end itself. */
async function endProcesses() {
  const deadline = performance.now() + PATIENCE_MILLISECONDS;
  const told = new Set();
  for (let left = findProcesses(); left.length > 0; left = findProcesses()) {
    for (const pid of left.filter((one) => !told.has(one))) {
      signal(pid, 'SIGQUIT');
      signal(pid, 'SIGCONT');
      told.add(pid);
    }
    if (performance.now() > deadline) left.forEach((pid) => signal(pid, 'SIGKILL'));
    await delay(50);
  }
}

/** Those that work in the run's folder, or were started with it as the place for what is temporary; none where there is no /proc. */
function findProcesses() {
  if (!existsSync('/proc/self/environ')) return [];
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && isOfRun(`/proc/${name}`))
    .map(Number);
}

function isOfRun(process) {
  try {
    // A folder that is gone has a remark behind its name.
    const place = readlinkSync(`${process}/cwd`).replace(/ \(deleted\)$/, '');
    const environment = () => readFileSync(`${process}/environ`, 'utf8').split('\0');
    return place === folder || place.startsWith(`${folder}/`) || environment().includes(`TMPDIR=${folder}`);
  } catch {
    // It has ended meanwhile, or is another user's.
    return false;
  }
}

function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

function unmount() {
  if (process.platform !== 'linux') return;
  const mounted = readFileSync('/proc/self/mounts', 'utf8')
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '');
  for (const place of mounted.filter((path) => path.startsWith(`${folder}/`)).reverse()) execFileSync('umount', [place]);
}

async function dropDatabases() {
  const client = new pg.Client({ connectionString: postgresUrl });
  try {
    await client.connect();
  } catch {
    // Where nothing answers no test has made one.
    return;
  }
  try {
    const { rows } = await client.query('SELECT datname AS "name" FROM pg_database WHERE starts_with(datname, $1)', [
      databasePrefix(folder),
    ]);
    for (const { name } of rows) await client.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
  } finally {
    await client.end();
  }
}

async function removeFolder() {
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
}
