// Jest's global setup.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeThrottlerModule } from './throttler-module.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
let sweeper;

/**
 * Gives the run a folder of its own for everything temporary, where each program that a test starts has its working directory.
 * A process beside the run clears it away when the run is over, also when that was killed: its end closes the sweeper's input.
 */
export default async function beginRun() {
  await writeThrottlerModule(root);
  // The service shows them, whether it is built or run from its sources.
  execFileSync(process.execPath, [join(root, 'scripts/build-guides.mjs')], { stdio: 'inherit' });
  const folder = await mkdtemp(join(tmpdir(), 'adoption-run-'));
  // PostgreSQL runs as a user of its own, whose folders are in it too.
  await chmod(folder, 0o711);
  const program = fileURLToPath(new URL('sweep.mjs', import.meta.url));
  // In a session of its own, so that what is sent to all processes of a terminal or of a job does not reach it.
  sweeper = spawn(process.execPath, [program, folder], { cwd: '/', detached: true, stdio: ['pipe', 'ignore', 'inherit'] });
  sweeper.unref();
  sweeper.stdin.unref();
  process.env.TMPDIR = folder;
  process.env.TEST_SEED ??= String(seedOfCommit());
  console.error(`TEST_SEED=${process.env.TEST_SEED}`);
}

/** What generated tests draw from unless `TEST_SEED` is given: a run of one commit is always the same. */
function seedOfCommit() {
  const { status, stdout } = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' });
  return status === 0 ? Number.parseInt(stdout.slice(0, 7), 16) : 1;
}

/** Resolves when nothing of the run is left. */
export async function sweep() {
  // Nothing else may be left that keeps Jest from ending, with 0, before it has told of its failures.
  sweeper.ref();
  const ended = once(sweeper, 'exit');
  sweeper.stdin.end();
  await ended;
}
