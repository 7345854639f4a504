import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { appendFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { finished, runBuilt } from '../e2e/built-service.fixture.js';
import { copyTree, type TreeCopy } from '../generator/tree-copy.fixture.js';

let tree: TreeCopy;
beforeEach(async () => (tree = await copyTree()));

const bundle = (): ChildProcessWithoutNullStreams => spawn(process.execPath, ['scripts/bundle-programs.mjs'], { cwd: tree.root });
const programs = () => readdir(join(tree.root, 'dist', 'programs'));
const foldersOfBuilds = async () => (await readdir(join(tree.root, 'dist'))).filter((name) => name.startsWith('programs'));
const helps = async () => (await runBuilt('cli', ['--help'], { cwd: tree.root, root: tree.root })).code === 0;

describe('a build of the programs', () => {
  it('that is killed leaves the one before, and nothing once another is through', async () => {
    const before = await programs();
    const killed = bundle();
    while ((await foldersOfBuilds()).length < 2) await new Promise((resolve) => setImmediate(resolve));
    killed.kill('SIGKILL');
    await finished(killed);
    expect(await programs()).toEqual(before);
    expect(await helps()).toBe(true);
    expect(await finished(bundle())).toMatchObject({ code: 0 });
    expect(await foldersOfBuilds()).toEqual(['programs']);
  });

  it.each([
    ['a module that is missing', `import './missing.js';\n`, 'missing.js'],
    ['what the bundler notes about the code', `eval('1');\n`, 'eval'],
  ])('fails for %s and leaves the one before', async (_name, code, told) => {
    const before = await programs();
    // The file ends with a comment.
    await appendFile(join(tree.root, 'dist', 'src', 'main.js'), `\n${code}`);
    const { code: exitCode, stderr } = await finished(bundle());
    expect(exitCode).toBe(1);
    expect(stderr).toContain(told);
    expect([await programs(), await foldersOfBuilds()]).toEqual([before, ['programs']]);
    expect(await helps()).toBe(true);
  });
});

it('a first build that was not completed is told by the programs in a sentence', async () => {
  const { root } = tree;
  await writeFile(join(root, 'dist', 'programs', 'cli.js'), `import './missing.js';\n`);
  const { code, stderr } = await runBuilt('cli', ['--help'], { cwd: root, root });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^What is built is not complete: run "npm run build" again\. \(.*missing\.js.*\)\n$/);
});
