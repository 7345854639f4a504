import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { placeOf } from './place.js';

describe('a place', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'adoption-place-'));
    await writeFile(join(folder, 'package.json'), '{"scripts":{"cli":"node scripts/run-built.mjs cli"}}');
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('is a checkout where the scripts are, and commands go through npm', async () => {
    await mkdir(join(folder, 'scripts'));
    await writeFile(join(folder, 'scripts', 'run-built.mjs'), '');
    const { name, command } = placeOf(folder);
    expect([name, command('doctor --full')]).toEqual(['checkout', 'npm run cli -- doctor --full']);
  });

  it('has a command find the variables that this process has, which it has anyway in the container', async () => {
    const typed = () => placeOf(folder).command('keys list', { DEPLOYMENT: 'staging' });
    expect(typed()).toBe('adoption keys list');
    await mkdir(join(folder, 'scripts'));
    await writeFile(join(folder, 'scripts', 'run-built.mjs'), '');
    expect(typed()).toBe('DEPLOYMENT=staging npm run cli -- keys list');
  });

  it('is the image where they are not, though the scripts are named, and the program is called by its name', () => {
    const { name, command } = placeOf(folder);
    expect([name, command('doctor --full')]).toEqual(['image', 'adoption doctor --full']);
  });
});
