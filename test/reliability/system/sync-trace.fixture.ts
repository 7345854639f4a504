import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { until } from '#libs/testing';
import { closeAtEnd } from '../../cleanup/close-at-end.js';

/** What processes ask of their kernel, in order: `sync` when a sync has succeeded, `acknowledged` when an answer with 201 is sent. */
type Step = 'sync' | 'acknowledged';

/** A look at processes that goes on until it is ended, at the latest with the test. */
export interface SyncTrace {
  steps(): Step[];
  /** How many acknowledgements there were before the first sync, then behind each sync that has any before the next one. */
  groups(): number[];
  end(): Promise<void>;
}

/** What strace says itself, also in the middle of the line of a call. */
const OWN_LINES = /strace: Process \d+ attached\n/g;

/** Looks at these processes, and at those that they start from now on. Undefined where processes may not be traced. */
export async function traceSyncs(pids: readonly number[]): Promise<SyncTrace | undefined> {
  const calls = 'trace=fsync,fdatasync,write,writev,sendto,sendmsg';
  const strace = spawn('strace', ['-f', '-s', '16', '-e', calls, ...pids.flatMap((pid) => ['-p', String(pid)])], { cwd: tmpdir() });
  let output = '';
  strace.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const isAttached = () => pids.every((pid) => output.includes(`Process ${pid} attached`));
  const attached = until(() => isAttached() || hasEnded(strace)).then(isAttached);
  const end = closeAtEnd(async () => {
    strace.kill('SIGINT');
    if (!hasEnded(strace)) await once(strace, 'close');
  });
  const missing = once(strace, 'error').then(() => false);
  if (!(await Promise.race([attached, missing]))) return undefined;
  const steps = () => output.replaceAll(OWN_LINES, '').split('\n').flatMap(stepsOf);
  const groups = () => {
    const counts = steps()
      .join(' ')
      .split('sync')
      .map((run) => run.split(' ').filter(Boolean).length);
    return counts.filter((count, index) => index === 0 || count > 0);
  };
  return { steps, groups, end };
}

function stepsOf(line: string): Step[] {
  // A call that another thread interrupts is written in two lines, the second of which tells its outcome.
  if (/f(?:data)?sync(?:\(| resumed).*= 0$/.test(line)) return ['sync'];
  return line.includes('"HTTP/1.1 201 ') ? ['acknowledged'] : [];
}

function hasEnded({ exitCode, signalCode }: ChildProcessWithoutNullStreams): boolean {
  return exitCode !== null || signalCode !== null;
}
