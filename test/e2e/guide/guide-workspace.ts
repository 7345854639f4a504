import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { findFreePort } from '../../databases/free-port.fixture.js';
import { pathWithCurl } from '../readme/path-with-curl.js';
import { projectRoot } from '../readme/readme-text.js';
import { changed, type GuideStep } from './guide-steps.js';

const execute = promisify(execFile);

const DOCUMENTED_PORT = /\b127\.0\.0\.1:3000\b/g;
const START = /^npm start$/m;
/** What a fresh clone has not. */
const LEFT_OUT = ['.git', 'coverage', 'data', 'dist', 'node_modules', 'reports'];

/** A copy of the tree in which the steps of a guide are done, with a database of its own. */
export interface GuideWorkspace {
  /** Does one step; rejects when it cannot be done. @returns what the commands after the last start printed. */
  perform(step: GuideStep): Promise<string>;
  /** Runs shell commands in the copy, with the variables that earlier ones have exported. @returns the standard output. */
  run(commands: string): Promise<string>;
  /** Ends the service and removes the copy. */
  close(): Promise<void>;
}

export async function openGuideWorkspace(): Promise<GuideWorkspace> {
  const folder = mkdtempSync(join(tmpdir(), 'adoption-guide-'));
  const tree = join(folder, 'tree');
  copyTree(tree);
  const exported = join(folder, 'environment');
  writeFileSync(exported, '');
  const port = await findFreePort();
  const env = {
    ...process.env,
    PATH: pathWithCurl(folder),
    DATABASE_URL: `sqlite:${join(folder, 'data', 'adoption.sqlite')}`,
    PORT: String(port),
    MANAGEMENT_PORT: '0',
    LOG_LEVEL: 'silent',
  };
  let service: ChildProcess | undefined;

  const run = async (commands: string): Promise<string> => {
    const script = `. '${exported}'\n${commands.replaceAll(DOCUMENTED_PORT, `127.0.0.1:${port}`)}\nexport -p > '${exported}'`;
    return (await execute('sh', ['-euc', script], { cwd: tree, env })).stdout;
  };
  /** Does what `npm start` does, in the background. */
  const restart = async (): Promise<void> => {
    await end(service);
    await run('npm run --silent build');
    service = spawn(process.execPath, ['dist/programs/main.js'], { cwd: tree, env, stdio: ['ignore', 'ignore', 'inherit'] });
    await untilReady(service, port);
  };
  const perform = async (step: GuideStep): Promise<string> => {
    if (step.kind !== 'run') return writeStep(tree, step);
    const [first = '', ...afterStarts] = step.commands.split(START);
    let output = await run(first);
    for (const commands of afterStarts) {
      await restart();
      output = await run(commands);
    }
    return output;
  };
  return {
    perform,
    run,
    close: async () => {
      await end(service);
      rmSync(folder, { recursive: true });
    },
  };
}

function copyTree(to: string): void {
  mkdirSync(to);
  for (const name of readdirSync(projectRoot)) {
    if (!LEFT_OUT.includes(name)) cpSync(join(projectRoot, name), join(to, name), { recursive: true });
  }
  symlinkSync(join(projectRoot, 'node_modules'), join(to, 'node_modules'));
}

function writeStep(tree: string, step: Exclude<GuideStep, { kind: 'run' }>): string {
  const path = join(tree, step.path);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, step.kind === 'write' ? step.text : changed(readFileSync(path, 'utf8'), step.difference));
  return '';
}

async function untilReady(service: ChildProcess, port: number): Promise<void> {
  while (service.exitCode === null) {
    const answer = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined);
    if (answer?.ok) return;
  }
  throw new Error(`The service ended with ${service.exitCode}.`);
}

async function end(service: ChildProcess | undefined): Promise<void> {
  if (!service || service.exitCode !== null) return;
  const exited = once(service, 'exit');
  service.kill('SIGTERM');
  await exited;
}
