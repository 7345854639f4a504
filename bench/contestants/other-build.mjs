import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createFolder } from './service.mjs';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Builds another commit of this repository, with the packages that it asks for, in a folder of its own. */
export async function buildCommit(ref) {
  const folder = await createFolder();
  const root = join(folder.path, 'tree');
  const remove = async () => {
    await folder.remove();
    await run('git', ['worktree', 'prune'], { cwd: ROOT });
  };
  try {
    await run('git', ['worktree', 'add', '--detach', root, ref], { cwd: ROOT });
    await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: root });
    await run('npm', ['run', 'build'], { cwd: root });
    return { root, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}
