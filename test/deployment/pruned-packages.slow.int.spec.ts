import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { finished } from '../e2e/built-service.fixture.js';
import { installForProduction, prune } from './production-install.fixture.js';

const LICENCE = /^(?:licen[cs]e|copying|notice|patents)/i;
/** What a file asks for beside it: `require('./a')`, `import './a'`, `import('./a')`, `export … from './a'`. */
const ASKED_FOR = /(?:\brequire\(|\bimport\(|\bimport|\bfrom)\s*(["'])(\.{1,2}\/[^"'\n]+)\1/g;
const ENDINGS = ['', '.js', '.mjs', '.cjs', '.json', '.node', '/index.js', '/index.mjs', '/index.cjs', '/index.json'];

describe('an install for production', () => {
  let app: string;
  let before: ReadonlySet<string>;
  let after: ReadonlySet<string>;
  const files = async () => {
    const entries = await readdir(app, { recursive: true, withFileTypes: true });
    return new Set(entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name)));
  };
  beforeAll(async () => {
    app = await mkdtemp(join(tmpdir(), 'adoption-pruned-'));
    await installForProduction(app);
    before = await files();
    await prune(app);
    after = await files();
  });
  afterAll(() => rm(app, { recursive: true }));

  it('has no compiler, types, source maps or tests of packages once it is pruned, and of a native package the module alone', () => {
    const left = [...after].map((path) => path.slice(app.length));
    const unused = /\.map$|\.[cm]?ts$|\.tsbuildinfo$|\/node_modules\/(?:@[^/]+\/)?[^/]+\/(?:tests?|docs|benchmarks?|examples?)\//;
    expect(left.filter((path) => unused.test(path))).toEqual([]);
    expect(left.filter((path) => path.includes('/node_modules/typescript/'))).toEqual([]);
    const native = left.filter((path) => path.startsWith('/node_modules/better-sqlite3/') && !/\/lib\//.test(path));
    expect(
      native
        .filter((path) => !path.endsWith('.node'))
        .map((path) => basename(path))
        .sort(),
    ).toEqual(['LICENSE', 'binding.gyp', 'package.json']);
  });

  it('keeps the licence of each package', () => {
    const licences = [...before].filter((path) => LICENCE.test(basename(path)) && !/\.[cm]?[jt]sx?$|\.map$/.test(path));
    expect(licences.length).toBeGreaterThan(200);
    expect(licences.filter((path) => !after.has(path))).toEqual([]);
    const hasLicence = (folder: string) => [...before].some((path) => dirname(path) === folder && LICENCE.test(basename(path)));
    const readmes = [...before].filter((path) => /\/readme\.md$/i.test(path) && existsSync(join(dirname(path), 'package.json')));
    const onlyReadmes = readmes.filter((path) => /\/node_modules\/(?:@[^/]+\/)?[^/]+$/.test(dirname(path)) && !hasLicence(dirname(path)));
    expect(onlyReadmes.filter((path) => !after.has(path))).toEqual([]);
  });

  it('has all that its files ask for beside them', () => {
    const asked = [...after]
      .filter((path) => /\.[cm]?js$/.test(path))
      .flatMap((path) => namesIn(path).map((name) => join(dirname(path), name)));
    const gone = asked.filter(
      (path) => ENDINGS.some((ending) => before.has(path + ending)) && !ENDINGS.some((ending) => after.has(path + ending)),
    );
    expect(asked.length).toBeGreaterThan(5_000);
    expect([...new Set(gone)]).toEqual([]);
  });
});

function namesIn(path: string): string[] {
  const names = [...readFileSync(path, 'utf8').matchAll(ASKED_FOR)].map(([, , name = '']) => name);
  // Those of a comment with types.
  return names.filter((name) => !/\.[cm]?ts$/.test(name));
}

describe('pruning', () => {
  let folder: string;
  const written = (name: string, content: unknown) => writeFile(join(folder, name), JSON.stringify(content));
  const run = async () => finished(spawn(process.execPath, ['scripts/prune-production.mjs', folder]));
  const typesOfPackage = () => join(folder, 'node_modules', 'fastify', 'fastify.d.ts');
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'adoption-pruning-'));
    await mkdir(join(folder, 'node_modules', 'fastify'), { recursive: true });
    await writeFile(typesOfPackage(), '');
    await written('package-lock.json', {
      name: 'animal-adoption-service',
      packages: {
        '': {},
        'node_modules/fastify': {},
        'node_modules/jest': { dev: true },
        'node_modules/typescript': { devOptional: true },
      },
    });
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('is done where there is an install for production of this project alone', async () => {
    expect(await run()).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync(typesOfPackage())).toBe(false);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['a checkout', () => mkdir(join(folder, '.git'))],
    ['the sources', () => mkdir(join(folder, 'src'))],
    ['a package for development', () => mkdir(join(folder, 'node_modules', 'jest'))],
    ['the compiler', () => mkdir(join(folder, 'node_modules', 'typescript'))],
    ['another project', () => written('package-lock.json', { name: 'another', packages: {} })],
    ['no lock file', () => rm(join(folder, 'package-lock.json'))],
  ])('is refused where there is %s', async (_what, arrange) => {
    await arrange();
    expect(await run()).toMatchObject({ code: 1, stderr: expect.stringMatching(/left as it is|has no package-lock/) });
    expect(existsSync(typesOfPackage())).toBe(true);
  });

  it('is refused where the packages are those of another folder, and follows no link in them', async () => {
    const elsewhere = await mkdtemp(join(tmpdir(), 'adoption-elsewhere-'));
    await writeFile(join(elsewhere, 'index.d.ts'), '');
    await symlink(elsewhere, join(folder, 'node_modules', 'linked'));
    expect((await run()).code).toBe(0);
    await rm(join(folder, 'node_modules'), { recursive: true });
    await symlink(elsewhere, join(folder, 'node_modules'));
    expect((await run()).code).toBe(1);
    expect(await readdir(elsewhere)).toEqual(['index.d.ts']);
    await rm(elsewhere, { recursive: true });
  });

  it('is refused in this checkout', async () => {
    expect(await finished(spawn(process.execPath, ['scripts/prune-production.mjs', '.']))).toMatchObject({ code: 1 });
    expect(existsSync('node_modules/fastify/fastify.d.ts')).toBe(true);
  });
});
