import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdtemp, readdir, readFile, readlink, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import { finished, type Finished } from '../e2e/built-service.fixture.js';

/** A copy of this folder in which modules can be generated. */
export interface TreeCopy {
  readonly root: string;
  /** Runs `npm run generate -- …` in it. */
  generate(...words: string[]): Promise<Finished>;
  /** Compiles it. */
  build(): Promise<void>;
  /** Its files as they are, by path; without what is built. */
  contents(): Promise<ReadonlyMap<string, string>>;
  remove(): Promise<void>;
}

const COPIED = [
  'CHANGELOG.md',
  'README.md',
  '.env.example',
  'src',
  'libs',
  'packages',
  'generator',
  'scripts',
  'dist',
  'docs',
  'schema.graphql',
  'package.json',
  '.prettierrc.json',
  '.editorconfig',
];
const CONFIGURATIONS = ['tsconfig.json', 'tsconfig.build.json', 'nest-cli.json'];

export async function copyTree(): Promise<TreeCopy> {
  const root = await mkdtemp(join(tmpdir(), 'adoption-tree-'));
  const remove = closeAtEnd(() => rm(root, { recursive: true, force: true }));
  for (const name of [...COPIED, ...CONFIGURATIONS]) await cp(name, join(root, name), { recursive: true });
  await symlink(join(process.cwd(), 'node_modules'), join(root, 'node_modules'));
  const run = (...words: string[]) => finished(spawn(process.execPath, words, { cwd: root }));
  return {
    root,
    generate: (...words) => run('generator/cli.mjs', ...words),
    async build() {
      for (const words of [
        ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--noCheck'],
        ['scripts/bundle-programs.mjs'],
      ]) {
        const { code, stdout, stderr } = await run(...words);
        if (code !== 0) throw new Error(stdout + stderr);
      }
    },
    contents: () => contentsOf(root),
    remove,
  };
}

async function contentsOf(root: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const paths = entries.map((entry) => ({ entry, path: join(entry.parentPath, entry.name).slice(root.length + 1) }));
  const kept = paths.filter(({ path, entry }) => !/^(?:dist|node_modules)(?:\/|$)/.test(path) && !entry.isDirectory());
  const read = kept.map(async ({ path, entry }) => {
    const file = join(root, path);
    return [path, entry.isSymbolicLink() ? await readlink(file) : digestOf(await readFile(file))] as const;
  });
  return new Map(await Promise.all(read));
}

function digestOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
