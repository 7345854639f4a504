import { spawn } from 'node:child_process';
import { finished, type Finished } from '../e2e/built-service.fixture.js';
import { copyTree, type TreeCopy } from './tree-copy.fixture.js';

describe('nest generate', () => {
  let tree: TreeCopy;
  beforeAll(async () => {
    tree = await copyTree();
  });
  afterAll(() => tree.remove());

  const generate = (...words: string[]): Promise<Finished> =>
    finished(spawn(process.execPath, ['node_modules/@nestjs/cli/bin/nest.js', 'generate', ...words], { cwd: tree.root }));

  it.each(['resource', 'module', 'controller', 'service'])('of a %s writes nothing and says what to type', async (schematic) => {
    const before = await tree.contents();
    const { stdout, stderr } = await generate(schematic, 'visits');
    expect(stdout + stderr).toContain('Nothing was written. Type "npm run generate -- module NAME"');
    expect(await tree.contents()).toEqual(before);
  });

  it('of a guard writes one', async () => {
    const { stdout } = await generate('guard', 'opening-hours', 'pets', '--no-spec', '--dry-run');
    expect(stdout).toContain('src/pets/opening-hours/opening-hours.guard.ts');
  });
});
