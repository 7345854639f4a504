import { spawn } from 'node:child_process';
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTemporaryFolder } from '../cleanup/temporary-folder.js';
import { finished } from '../e2e/built-service.fixture.js';
import { copiesOf, readImage, readStages, valuesOf } from './dockerfile.fixture.js';

const stages = readStages();
const packages = stages.find(({ name }) => name === 'packages') ?? readImage();
const manifests = copiesOf(packages).flatMap(({ paths }) => paths);

describe('packages for others', () => {
  const { workspaces } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly workspaces: readonly string[] };
  const names = workspaces.map(
    (folder) => (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { readonly name: string }).name,
  );

  it('are copied into no stage of the image', () => {
    expect(stages.flatMap(copiesOf).flatMap(({ paths }) => paths.filter((path) => path.includes('packages')))).toEqual([]);
  });

  it('are not missed by the stage that installs', async () => {
    const folder = makeTemporaryFolder('manifests');
    for (const name of manifests) copyFileSync(name, join(folder, name));
    const install = valuesOf(packages, 'RUN')[0] ?? '';
    const { code, stdout } = await finished(spawn(`${install} --dry-run`, { cwd: folder, shell: true }));
    expect(code).toBe(0);
    expect(stdout).toMatch(/^add fastify /m);
    for (const name of names) expect(stdout).not.toContain(name);
  });
});
