import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import { createBackend } from '../databases/test-backend.fixture.js';

/** What is built, started as its own process in a working directory of its own. */
export interface BuiltService {
  readonly origin: string;
  readonly pid: number;
  /** The origin of the management port. */
  readonly management: string;
  /** The token of the key `demo`, where this start made it. */
  readonly demoKey: string | undefined;
  /** Everything printed so far, on either stream, and the last line of it. */
  output(): string;
  lastLine(): string;
  /** Sends a signal and waits for nothing; does nothing after the end. */
  signal(signal: 'SIGTERM' | 'SIGINT'): void;
  /** Sends a signal and waits for the end. Resolves with the exit code, null when the signal killed it. */
  stop(signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): Promise<number | null>;
}

/** The outcome of a program that ran to its end. */
export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const DEMO_KEY = /\b(adopt_dev_[0-9A-Za-z]{43}_[0-9A-Za-z]{6})\b/;
const LISTENING = /listens on (http:\/\/\S+)\/v1.*\n/;
const METRICS = /metrics are at (http:\/\/\S+)\/metrics/;

/** A folder without data for programs to run in, with a database of its own, which `.env` names where the run is on servers. */
export interface WorkingDirectory {
  readonly path: string;
  /** The variables that name its database and counters. */
  readonly backend: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

export async function createWorkingDirectory(): Promise<WorkingDirectory> {
  const path = await mkdtemp(join(tmpdir(), 'adoption-built-'));
  const removeFolder = closeAtEnd(() => rm(path, { recursive: true, force: true }));
  if (!globalThis.onServers) {
    return { path, backend: { DATABASE_URL: `sqlite:${join(path, 'data', 'adoption.sqlite')}` }, remove: removeFolder };
  }
  const { environment, remove } = await createBackend();
  const lines = Object.entries(environment).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(join(path, '.env'), lines.join(''));
  const removeBoth = () => removeFolder().then(remove);
  return { path, backend: environment, remove: removeBoth };
}

/** A service that was started and may not listen yet. */
export interface LaunchedService extends Pick<BuiltService, 'pid' | 'output' | 'lastLine' | 'signal' | 'stop'> {
  /** Rejects when the process ends before it listens. */
  readonly listening: Promise<BuiltService>;
}

type Environment = Readonly<Record<string, string>>;

/** Starts the service on a free port and waits until it says that it listens. `root` is where another build is than that of this folder. */
export async function startBuiltService(cwd: string, environment: Environment = {}, root = '.'): Promise<BuiltService> {
  return launchBuiltService(cwd, environment, root).listening;
}

/** The same without the wait, and perhaps on another host, which the words in `enter` lead to. */
export function launchBuiltService(cwd: string, environment: Environment = {}, root = '.', enter: readonly string[] = []): LaunchedService {
  const child = launch('main', [], { cwd, environment: { PORT: '0', MANAGEMENT_PORT: '0', ...environment }, root, enter });
  let output = '';
  const launched = {
    pid: child.pid ?? 0,
    output: () => output,
    lastLine: () => output.split('\n').at(-2) ?? '',
    signal: (signal: 'SIGTERM' | 'SIGINT') => void child.kill(signal),
    async stop(signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL') {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      child.kill(signal);
      await once(child, 'close');
      return child.exitCode;
    },
  };
  closeAtEnd(() => launched.stop('SIGKILL'));
  const listening = new Promise<BuiltService>((listen, failed) => {
    let listens = false;
    const collect = (chunk: Buffer) => {
      output += chunk.toString();
      // Looked for only until it is there: to search a text that grows, Node copies it.
      if (listens || !LISTENING.test(output)) return;
      listens = true;
      listen({
        ...launched,
        origin: LISTENING.exec(output)?.[1] ?? '',
        management: METRICS.exec(output)?.[1] ?? '',
        demoKey: DEMO_KEY.exec(output)?.[1],
      });
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.on('exit', (code) => failed(new Error(`The service ended with ${code} before it listened:\n${output}`)));
  });
  return { ...launched, listening };
}

/** Where and with what a program runs: `root` as above, with the words in `enter` before it. */
interface Run {
  readonly cwd: string;
  readonly environment?: Environment;
  readonly root?: string;
  readonly enter?: readonly string[];
}

/** Runs a built program to its end: `main`, or `cli` with its arguments. */
export async function runBuilt(
  program: 'main' | 'cli',
  words: readonly string[],
  { input = '', ...run }: Run & { readonly input?: string | Buffer },
): Promise<Finished> {
  const child = launch(program, words, run);
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  return finished(child);
}

/** Resolves with what a program that was just started has said, when it has ended. */
export async function finished(child: ChildProcessWithoutNullStreams): Promise<Finished> {
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  await once(child, 'close');
  return { code: child.exitCode, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() };
}

/** What is on each line of a log. @throws SyntaxError where a line is not JSON */
export function logLines(text: string): Readonly<Record<string, unknown>>[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
}

/** Starts a built program; it is still running when this returns. */
export function launch(
  program: 'main' | 'cli',
  words: readonly string[],
  { cwd, environment, root = '.', enter = [] }: Run,
): ChildProcessWithoutNullStreams {
  const [first = process.execPath, ...others] = [...enter, process.execPath, resolve(root, 'scripts/run-built.mjs'), program, ...words];
  return spawn(first, others, { cwd, env: { PATH: process.env['PATH'] ?? '', ...environment } });
}
