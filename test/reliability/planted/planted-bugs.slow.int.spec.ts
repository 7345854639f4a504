import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { promisify } from 'node:util';

const FOLDER = 'test/reliability/planted';

// What is planted so is started by the reliability suite alone, and classes are renamed without it.
describe('the modules that plant bugs', () => {
  it('find in what is built every method that they replace', async () => {
    const bugs = (await readdir(FOLDER)).filter((name) => name.endsWith('.mjs'));
    expect(bugs).not.toEqual([]);
    const imports = bugs.map((name) => `--import=./${FOLDER}/${name}`);
    await promisify(execFile)(process.execPath, [...imports, '--eval', '']);
  });
});
