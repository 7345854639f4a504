import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import { makeTemporaryFolder } from '../cleanup/temporary-folder.js';
import { finished } from '../e2e/built-service.fixture.js';

const runScript = (name: string, words: readonly string[] = [], environment: Readonly<Record<string, string>> = {}) =>
  finished(spawn(process.execPath, [`scripts/${name}.mjs`, ...words], { env: { ...process.env, ...environment } }));

/** A registry that knows one vulnerability of Fastify, or has no audit if `severity` is undefined. @returns its origin */
async function startRegistry(severity: string | undefined): Promise<string> {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, { version: string }> };
  const advisory = { id: 1, url: 'https://advisories.example/1', title: 'broken', severity, vulnerable_versions: '*', cwe: [], cvss: {} };
  const server = createServer(({ url = '' }, response) => {
    const isAudit = url.endsWith('/advisories/bulk');
    const name = decodeURIComponent(url.slice(1));
    const { version = '1.0.0' } = packages[`node_modules/${name}`] ?? {};
    const described = { name, 'dist-tags': { latest: version }, versions: { [version]: { name, version } } };
    response.writeHead(isAudit && severity === undefined ? 405 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(isAudit ? { fastify: [advisory] } : described));
  });
  closeAtEnd(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

describe('the scripts that judge dependencies', () => {
  it('print docs/licences.md', async () => {
    const stdout = readFileSync('docs/licences.md', 'utf8');
    expect(await runScript('list-licences')).toEqual({ code: 0, stdout, stderr: '' });
  });

  it.each([
    ['GPL-3.0-only', 1],
    ['(MIT AND AGPL-3.0)', 1],
    ['SEE LICENSE IN LICENSE', 1],
    [undefined, 1],
    ['(GPL-2.0 OR MIT)', 0],
  ])('answer the licence %s with %i', async (license, code) => {
    const file = join(makeTemporaryFolder('licences'), 'package-lock.json');
    const packages = { '': { license: 'MIT' }, 'node_modules/@b/c': { license }, 'node_modules/d': { license: 'GPL-3.0-only', dev: true } };
    writeFileSync(file, JSON.stringify({ packages }));
    expect(await runScript('list-licences', [file])).toMatchObject({ code });
  });

  it.each([
    ['high', 1, /high: fastify /],
    ['critical', 1, /critical: fastify /],
    ['moderate', 0, /no known high or critical vulnerability \([1-9]\d* of lower severity\)\.\n$/],
    [undefined, 0, /^The registry gives no answer to npm audit here/],
  ])('answer a vulnerability of severity %s with %i', async (severity, code, printed) => {
    const environment = {
      npm_config_registry: await startRegistry(severity),
      npm_config_cache: makeTemporaryFolder('audit'),
      npm_config_fetch_retries: '0',
    };
    const audit = await runScript('audit-dependencies', [], environment);
    expect([audit.code, audit.stdout + audit.stderr]).toEqual([code, expect.stringMatching(printed)]);
  });
});
