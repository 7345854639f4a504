import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTemporaryFolder } from '../cleanup/temporary-folder.js';
import { finished } from '../e2e/built-service.fixture.js';

const listLicences = (...words: readonly string[]) => finished(spawn(process.execPath, ['scripts/list-licences.mjs', ...words]));

describe('the script that judges licences', () => {
  it('prints docs/reference/licences.md', async () => {
    const stdout = readFileSync('docs/reference/licences.md', 'utf8');
    expect(await listLicences()).toEqual({ code: 0, stdout, stderr: '' });
  });

  it.each([
    ['GPL-3.0-only', 1],
    ['(MIT AND AGPL-3.0)', 1],
    ['SEE LICENSE IN LICENSE', 1],
    [undefined, 1],
    ['(GPL-2.0 OR MIT)', 0],
  ])('answers the licence %s with %i', async (license, code) => {
    const file = join(makeTemporaryFolder('licences'), 'package-lock.json');
    const packages = { '': { license: 'MIT' }, 'node_modules/@b/c': { license }, 'node_modules/d': { license: 'GPL-3.0-only', dev: true } };
    writeFileSync(file, JSON.stringify({ packages }));
    expect(await listLicences(file)).toMatchObject({ code });
  });
});
