import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Builds another commit of this repository, with the packages that it asks for, in a folder of its own. */
export async function buildCommit(ref) {
  const root = join(await mkdtemp(join(tmpdir(), 'adoption-build-')), 'tree');
  await run('git', ['worktree', 'add', '--detach', root, ref], { cwd: ROOT });
  const remove = () => run('git', ['worktree', 'remove', '--force', root], { cwd: ROOT });
  try {
    await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: root });
    await run('npm', ['run', 'build'], { cwd: root });
    return { root, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
