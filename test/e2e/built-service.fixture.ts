import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** What is built, started as its own process in a working directory of its own. */
export interface BuiltService {
  readonly origin: string;
  /** The token of the key `demo`, where this start made it. */
  readonly demoKey: string | undefined;
  /** Everything printed so far, on either stream. */
  output(): string;
  /** Sends a signal and waits for the end. Resolves with the exit code, null when the signal killed it. */
  stop(signal: 'SIGTERM' | 'SIGINT' | 'SIGKILL'): Promise<number | null>;
}

/** The outcome of a program that ran to its end. */
export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const DEMO_KEY = /^ {2}(adopt_dev_\w+)$/m;
const LISTENING = /listens on (http:\/\/\S+)\/v1/;

/** A folder that is a working directory without `.env` and data, removed at the end. */
export async function createWorkingDirectory(): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'adoption-built-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** Starts the service on a free port and waits until it says that it listens. */
export async function startBuiltService(cwd: string, environment: Readonly<Record<string, string>> = {}): Promise<BuiltService> {
  const child = launch('main', [], cwd, { PORT: '0', ...environment });
  let output = '';
  const said = new Promise<void>((listening, failed) => {
    const collect = (chunk: Buffer) => {
      output += chunk.toString();
      if (LISTENING.test(output)) listening();
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.on('exit', (code) => failed(new Error(`The service ended with ${code} before it listened:\n${output}`)));
  });
  await said;
  return {
    origin: LISTENING.exec(output)?.[1] ?? '',
    demoKey: DEMO_KEY.exec(output)?.[1],
    output: () => output,
    async stop(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      child.kill(signal);
      await once(child, 'close');
      return child.exitCode;
    },
  };
}

/** Runs a built program to its end: `main`, or `cli` with its arguments. */
export async function runBuilt(
  program: 'main' | 'cli',
  words: readonly string[],
  {
    cwd,
    environment = {},
    input = '',
  }: { readonly cwd: string; readonly environment?: Readonly<Record<string, string>>; readonly input?: string | Buffer },
): Promise<Finished> {
  const child = launch(program, words, cwd, environment);
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  await once(child, 'close');
  return { code: child.exitCode, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() };
}

function launch(
  program: string,
  words: readonly string[],
  cwd: string,
  environment: Readonly<Record<string, string>>,
): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, [resolve('scripts/run-built.mjs'), program, ...words], {
    cwd,
    env: { PATH: process.env['PATH'] ?? '', ...environment },
  });
}
