import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { closeAtEnd } from '../../cleanup/close-at-end.js';
import type { ServerHost } from '../../databases/server-host.js';

/** Runs a program of this folder on a host, until the test is over. Resolves when it says the first thing, which is that it is ready. */
export async function startProgram({ enter }: ServerHost, name: string, ...words: string[]): Promise<ChildProcessWithoutNullStreams> {
  const program = resolve('test/reliability/network', name);
  const [first = process.execPath, ...others] = [...enter, process.execPath, program, ...words];
  const child = spawn(first, others, { cwd: tmpdir() });
  child.stderr.pipe(process.stderr);
  closeAtEnd(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child;
}
