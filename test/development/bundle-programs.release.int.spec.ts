import { spawn } from 'node:child_process';
import { appendFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '#libs/testing';
import { finished, runBuilt } from '../e2e/built-service.fixture.js';
import { copyTree, type TreeCopy } from '../generator/tree-copy.fixture.js';

describe('a build of the programs', () => {
  let tree: TreeCopy;
  beforeEach(async () => (tree = await copyTree()));

  const bundle = () => spawn(process.execPath, ['scripts/bundle-programs.mjs'], { cwd: tree.root });
  const programs = () => readdir(join(tree.root, 'dist', 'programs'));
  const foldersOfBuilds = async () => (await readdir(join(tree.root, 'dist'))).filter((name) => name.startsWith('programs'));

  it('that is killed leaves the previous one, and the next build removes its remains', async () => {
    const before = await programs();
    const killed = bundle();
    await until(async () => (await foldersOfBuilds()).length === 2);
    killed.kill('SIGKILL');
    await finished(killed);
    expect(await programs()).toEqual(before);
    expect(await finished(bundle())).toMatchObject({ code: 0 });
    expect(await foldersOfBuilds()).toEqual(['programs']);
  });

  it.each([
    ['missing.js', `import './missing.js';\n`],
    ['eval', `eval('1');\n`],
  ])('that fails because of %s leaves the previous one', async (told, code) => {
    const before = await programs();
    // The file ends with a comment.
    await appendFile(join(tree.root, 'dist', 'src', 'main.js'), `\n${code}`);
    expect(await finished(bundle())).toMatchObject({ code: 1, stderr: expect.stringContaining(told) });
    expect([await programs(), await foldersOfBuilds()]).toEqual([before, ['programs']]);
    expect((await runBuilt('cli', ['--help'], { cwd: tree.root, root: tree.root })).code).toBe(0);
  });
});
