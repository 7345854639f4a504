import { spawn } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from '../e2e/built-service.fixture.js';

interface Component {
  readonly 'bom-ref': string;
  readonly name: string;
  readonly purl: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  readonly licenses?: readonly { readonly license?: { readonly id?: string; readonly name?: string }; readonly expression?: string }[];
}

interface Bill {
  readonly serialNumber: string;
  readonly metadata: { readonly component: Component & { readonly type: string } };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

interface Locked {
  readonly version: string;
  readonly license?: string;
  readonly integrity?: string;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly optional?: boolean;
  readonly link?: boolean;
}

describe('the bill of materials', () => {
  let folder: string;
  let text: string;
  let bill: Bill;
  let locked: readonly (Locked & { readonly name: string })[];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'adoption-bill-'));
    text = await write('scripts/write-bill-of-materials.mjs');
    bill = JSON.parse(text) as Bill;
    const { packages } = JSON.parse(await readFile('package-lock.json', 'utf8')) as { packages: Record<string, Locked> };
    locked = Object.entries(packages)
      .filter(([path]) => path.startsWith('node_modules/'))
      .map(([path, entry]) => ({ name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length), ...entry }));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const write = async (script: string) => {
    const file = join(folder, 'sbom.cdx.json');
    expect(await finished(spawn(process.execPath, [script, file]))).toMatchObject({ code: 0, stderr: '' });
    return readFile(file, 'utf8');
  };
  const addresses = () => bill.components.map(({ purl }) => purl);
  const purlOf = ({ name, version }: { readonly name: string; readonly version: string }) =>
    `pkg:npm/${name.replace('@', '%40')}@${version}`;

  it('is CycloneDX 1.5 of this service', async () => {
    const { name, version } = JSON.parse(await readFile('package.json', 'utf8')) as { name: string; version: string };
    expect(bill).toMatchObject({
      bomFormat: 'CycloneDX',
      specVersion: '1.5',
      metadata: { component: { type: 'application', name, version } },
    });
    expect(bill.serialNumber).toMatch(/^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('has each package that the image has, by its address', () => {
    const installed = locked.filter(({ dev, devOptional, optional, link }) => !dev && !devOptional && !optional && !link);
    expect(addresses()).toEqual(expect.arrayContaining(installed.map(purlOf)));
    expect(bill.components.map(({ name }) => name)).toEqual(expect.arrayContaining(['fastify', 'graphql', 'better-sqlite3', 'rxjs']));
  });

  it('has each package whose files the build takes: what is bundled, and what pages load', async () => {
    const programs = (await readdir('dist/programs')).filter((name) => name.endsWith('.js'));
    const bundled = await Promise.all(programs.map((name) => readFile(join('dist/programs', name), 'utf8')));
    const { compilerOptions } = JSON.parse(await readFile('nest-cli.json', 'utf8')) as { compilerOptions: { assets: string[] } };
    const files = [...bundled.flatMap((text) => text.match(/(?<=^\/\/ )node_modules\/.*/gm) ?? []), ...compilerOptions.assets];
    const names = new Set(files.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules)/.exec(path)?.[1] ?? []));
    expect([...names]).toEqual(expect.arrayContaining(['@opentelemetry/otlp-transformer', 'fastify', 'graphiql', 'react', 'uplot']));
    expect(bill.components.map(({ name }) => name)).toEqual(expect.arrayContaining([...names]));
    // GraphiQL comes as one file with all that it needs.
    expect(bill.components.map(({ name }) => name)).toEqual(expect.arrayContaining(['codemirror', 'markdown-it']));
  });

  it('has none that is for development or other platforms alone', () => {
    const others = ['typescript', 'jest', 'eslint', 'rolldown', 'playwright-core', '@adoption/client'];
    expect(bill.components.filter(({ name }) => others.includes(name))).toEqual([]);
    expect(new Set(addresses()).size).toBe(bill.components.length);
  });

  it('says the licence of each, where it is known, and the digest', () => {
    for (const component of bill.components) {
      const { license, integrity = '' } = locked.find((entry) => purlOf(entry) === component.purl) ?? {};
      const said = (component.licenses ?? []).map(({ expression, license: one }) => expression ?? one?.id ?? one?.name);
      expect([component.name, said]).toEqual([component.name, license === undefined ? [] : [license]]);
      const [, digest = ''] = /sha512-(\S+)/.exec(integrity) ?? [];
      expect(component.hashes).toEqual([{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }]);
    }
  });

  it('says what needs what, with names that it has', () => {
    const names = new Set([bill.metadata.component, ...bill.components].map((component) => component['bom-ref']));
    expect(names.size).toBe(bill.components.length + 1);
    expect(bill.dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn]).filter((name) => !names.has(name))).toEqual([]);
    expect(bill.dependencies.find(({ ref }) => ref.startsWith('typeorm@'))?.dependsOn).toContainEqual(expect.stringMatching(/^dayjs@/));
  });

  it('is the same each time, also in a folder with nothing but the manifests', async () => {
    const project = join(folder, 'elsewhere');
    await mkdir(join(project, 'scripts'), { recursive: true });
    for (const name of ['package.json', 'package-lock.json', 'nest-cli.json', 'scripts/write-bill-of-materials.mjs']) {
      await copyFile(name, join(project, name));
    }
    expect(await write(join(project, 'scripts/write-bill-of-materials.mjs'))).toBe(text);
  });
});
