import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTemporaryFolder } from '../cleanup/temporary-folder.js';

const listLicences = (...words: readonly string[]) =>
  spawnSync(process.execPath, ['scripts/list-licences.mjs', ...words], { encoding: 'utf8' });

describe('the licences of production dependencies', () => {
  const list = (packages: object) => {
    const lockFile = join(makeTemporaryFolder('licences'), 'package-lock.json');
    writeFileSync(lockFile, JSON.stringify({ packages: { '': { license: 'MIT' }, ...packages } }));
    return listLicences(lockFile);
  };

  it('are allowed, and those that docs/licences.md lists', () => {
    const { status, stdout, stderr } = listLicences();
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(readFileSync('docs/licences.md', 'utf8')).toBe(stdout);
  });

  it.each(['GPL-3.0-only', '(MIT AND AGPL-3.0)', 'SEE LICENSE IN LICENSE'])('may not be %s', (license) => {
    const { status, stderr } = list({ 'node_modules/a/node_modules/@b/c': { license }, 'node_modules/d': { license, dev: true } });
    expect(stderr).toBe(`The licence ${license} is not allowed: @b/c\n`);
    expect(status).toBe(1);
  });

  it('have to be known', () => {
    expect(list({ 'node_modules/a': {} }).stderr).toBe('The licence unknown is not allowed: a\n');
  });

  it('may leave a choice with one that is allowed', () => {
    expect(list({ 'node_modules/a': { license: '(GPL-2.0 OR MIT)' } }).status).toBe(0);
  });
});
