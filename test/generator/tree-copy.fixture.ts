import { spawn } from 'node:child_process';
import { cp, readdir, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { makeTemporaryFolder } from '../cleanup/temporary-folder.js';
import { finished, type Finished } from '../e2e/built-service.fixture.js';

/** A copy of this folder, with what is built, in which modules can be generated. It is removed at the end of the test or the file. */
export interface TreeCopy {
  readonly root: string;
  /** Runs `npm run generate -- …` in it. */
  generate(...words: string[]): Promise<Finished>;
  /** Compiles it. @throws Error of what the compiler finds */
  build(): Promise<void>;
}

const OMITTED = ['.git', 'coverage', 'data', 'node_modules', 'reports'];

export async function copyTree(): Promise<TreeCopy> {
  const root = makeTemporaryFolder('tree');
  for (const name of await readdir('.')) if (!OMITTED.includes(name)) await cp(name, join(root, name), { recursive: true });
  await symlink(resolve('node_modules'), join(root, 'node_modules'));
  const run = (...words: string[]) => finished(spawn(process.execPath, words, { cwd: root }));
  return {
    root,
    generate: (...words) => run('generator/cli.mjs', ...words),
    async build() {
      for (const words of [['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], ['scripts/bundle-programs.mjs']]) {
        const { code, stdout, stderr } = await run(...words);
        if (code !== 0) throw new Error(stdout + stderr);
      }
    },
  };
}
