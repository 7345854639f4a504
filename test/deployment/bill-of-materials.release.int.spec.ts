import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTemporaryFolder } from '../cleanup/temporary-folder.js';

interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
}

interface Bill {
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
  readonly metadata: { readonly component: Component };
}

interface Locked {
  readonly version: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly optional?: boolean;
  readonly link?: boolean;
}

const SCRIPT = 'scripts/write-bill-of-materials.mjs';

/** Runs the script of a folder. @returns what it has written */
function writeBill(root: string): string {
  const file = join(makeTemporaryFolder('bill'), 'sbom.cdx.json');
  execFileSync(process.execPath, [join(root, SCRIPT), file], { stdio: 'pipe' });
  return readFileSync(file, 'utf8');
}

describe('the bill of materials', () => {
  let text: string;
  let bill: Bill;
  beforeAll(() => {
    text = writeBill('.');
    bill = JSON.parse(text) as Bill;
  });

  it('names what is installed, bundled and loaded by pages, with its digest, and nothing for development', () => {
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Locked> };
    const installed = Object.entries(packages).filter(
      ([path, { dev, devOptional, optional, link }]) => path.startsWith('node_modules/') && !link && !dev && !devOptional && !optional,
    );
    const names = (paths: readonly string[]) => paths.flatMap((path) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
    const programs = readdirSync('dist/programs').filter((name) => name.endsWith('.js'));
    const bundled = programs.flatMap(
      (name) => readFileSync(join('dist/programs', name), 'utf8').match(/(?<=^\/\/ )node_modules\/.*/gm) ?? [],
    );
    const assets = readFileSync('nest-cli.json', 'utf8').match(/node_modules\/[^"]+/g) ?? [];
    const expected = new Set(names([...installed.map(([path]) => path), ...bundled, ...assets]));
    expect([...expected]).toEqual(expect.arrayContaining(['@opentelemetry/otlp-transformer', 'better-sqlite3', 'fastify', 'graphiql']));
    const found = bill.components.map(({ name }) => name);
    expect(found).toEqual(expect.arrayContaining([...expected]));
    expect(found.filter((name) => ['typescript', 'jest', 'eslint', 'rolldown', '@adoption/client'].includes(name))).toEqual([]);
    const digests = new Set(Object.values(packages).map(({ integrity = '' }) => integrity));
    for (const { name, hashes = [] } of bill.components) {
      const digest = `sha512-${Buffer.from(hashes[0]?.content ?? '', 'hex').toString('base64')}`;
      expect([name, digests.has(digest)]).toEqual([name, true]);
    }
  });
});
