import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { until } from '#libs/testing';
import { finished } from '../e2e/built-service.fixture.js';
import { copyTree } from '../generator/tree-copy.fixture.js';

describe('a build of the programs', () => {
  it('that is killed leaves the previous one, and the next build removes its remains', async () => {
    const { root } = await copyTree();
    const bundle = () => spawn(process.execPath, ['scripts/bundle-programs.mjs'], { cwd: root });
    const programs = () => readdir(join(root, 'dist', 'programs'));
    const foldersOfBuilds = async () => (await readdir(join(root, 'dist'))).filter((name) => name.startsWith('programs'));
    const before = await programs();
    const killed = bundle();
    await until(async () => (await foldersOfBuilds()).length === 2);
    killed.kill('SIGKILL');
    await finished(killed);
    expect(await programs()).toEqual(before);
    expect(await finished(bundle())).toMatchObject({ code: 0 });
    expect(await foldersOfBuilds()).toEqual(['programs']);
  });
});
