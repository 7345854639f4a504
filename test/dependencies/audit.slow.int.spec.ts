import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { makeTemporaryFolder } from '../cleanup/temporary-folder.js';

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Record<string, { version: string; dependencies?: Record<string, string> }>;
};

/** A package as a registry describes it, of the one version that is locked. */
function described(name: string): object {
  const { version = '1.0.0', dependencies = {} } = packages[`node_modules/${name}`] ?? {};
  return { name, 'dist-tags': { latest: version }, versions: { [version]: { name, version, dependencies } } };
}

describe('the audit of production dependencies', () => {
  let registry: Server | undefined;
  afterEach(() => registry?.close());

  /** Runs it against a registry that knows these advisories, or has no audit when there are none to give. */
  const audit = async (advisories?: object): Promise<{ readonly code: number | null; readonly output: string }> => {
    registry = createServer(({ url = '' }, response) => {
      const isAudit = url.endsWith('/advisories/bulk');
      response.writeHead(isAudit && !advisories ? 405 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isAudit ? (advisories ?? {}) : described(decodeURIComponent(url.slice(1)))));
    });
    await once(registry.listen(0, '127.0.0.1'), 'listening');
    const { port } = registry.address() as AddressInfo;
    const child = spawn(process.execPath, ['scripts/audit-dependencies.mjs'], {
      env: {
        ...process.env,
        npm_config_registry: `http://127.0.0.1:${port}/`,
        npm_config_cache: makeTemporaryFolder('audit'),
        npm_config_fetch_retries: '0',
      },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()));
    await once(child, 'close');
    return { code: child.exitCode, output };
  };
  const advisory = (severity: string) => ({
    fastify: [
      { id: 1, url: 'https://advisories.example/1', title: 'broken', severity, vulnerable_versions: '*', cwe: [], cvss: { score: 0 } },
    ],
  });

  it.each(['high', 'critical'])('fails on a vulnerability of severity %s, naming the package', async (severity) => {
    const { code, output } = await audit(advisory(severity));
    expect(output).toContain(`${severity}: fastify `);
    expect(code).toBe(1);
  });

  it('passes on those of lower severity, and counts them', async () => {
    const { code, output } = await audit(advisory('moderate'));
    expect(output).toMatch(/no known high or critical vulnerability \([1-9]\d* of lower severity\)\.\n$/);
    expect(code).toBe(0);
  });

  it('says when the registry gives no answer, in words that are no warning', async () => {
    const { code, output } = await audit();
    expect(output).toBe('The registry gives no answer to npm audit here, so known vulnerabilities were not looked up.\n');
    expect(code).toBe(0);
  });
});
