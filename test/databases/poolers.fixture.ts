import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import { findFreePort } from './free-port.fixture.js';

const ATTEMPT_MILLISECONDS = 20;
const isRoot = process.getuid?.() === 0;

/** Starts pgbouncer before the server of a URL, with lines of its section `pgbouncer`. Gives the URL of the same database through it. */
export async function startPgbouncer(url: string, settings: string): Promise<string> {
  const { hostname, port: serverPort } = new URL(url);
  const folder = await makeFolder('pgbouncer');
  const file = join(folder, 'pgbouncer.ini');
  const port = await findFreePort();
  await writeFile(
    file,
    `[databases]\n* = host=${hostname} port=${serverPort} user=postgres\n` +
      `[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\nunix_socket_dir =\nauth_type = any\n${settings}\n`,
  );
  // It refuses to be root.
  await startProgram(['pgbouncer', '-q', ...(isRoot ? ['-u', 'postgres'] : []), file], port);
  return withPort(url, port);
}

/** Starts HAProxy with a configuration made of a port and a check script's path. Gives the port once a server is known to be down. */
export async function startHaproxy(configuration: (port: number, script: string) => string, script: string): Promise<number> {
  const folder = await makeFolder('haproxy');
  const [file, check] = [join(folder, 'haproxy.cfg'), join(folder, 'is-primary')];
  const port = await findFreePort();
  await writeFile(check, script);
  await chmod(check, 0o755);
  await writeFile(file, configuration(port, check));
  await startProgram(['haproxy', '-db', '-f', file], port, (output) => output.includes('is DOWN'));
  return port;
}

/** The URL with another port of this machine. */
export function withPort(url: string, port: number): string {
  const changed = new URL(url);
  changed.host = `127.0.0.1:${port}`;
  return changed.href;
}

async function makeFolder(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `adoption-${name}-`));
  closeAtEnd(() => rm(folder, { recursive: true }));
  return folder;
}

/** Starts a program that ends with the test. Resolves when something listens at the port and what was printed says that it is ready. */
export async function startProgram(
  [program = '', ...words]: readonly string[],
  port: number,
  isReady: (output: string) => boolean = () => true,
): Promise<void> {
  const child = spawn(program, words, { cwd: tmpdir() });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = once(child, 'close');
  closeAtEnd(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  while (!(await isListening(port)) || !isReady(output)) {
    if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}: ${output}`);
    await delay(ATTEMPT_MILLISECONDS);
  }
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  return new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true));
    socket.once('error', () => resolve(false));
  }).finally(() => socket.destroy());
}
