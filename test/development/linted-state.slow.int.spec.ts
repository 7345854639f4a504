import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { makeTemporaryFolder } from '../cleanup/temporary-folder.js';

const SCRIPT = resolve('scripts/lint-rules/linted-state.mjs');
const FILES = [
  'src/pets/pet.ts',
  'libs/observability/clock/index.ts',
  'test/e2e/service.fixture.ts',
  'scripts/lint-rules/described-directives.mjs',
  'package.json',
  'tsconfig.json',
  'packages/client/tsconfig.json',
  'node_modules/.package-lock.json',
];
// Also that of tsconfig.json, which names the folders of the sources.
const CONTENT = '{ "include": ["src", "libs", "test"] }';

describe('what a cached result of the linter is known by', () => {
  let root: string;

  beforeEach(() => {
    root = makeTemporaryFolder('linted');
    for (const file of FILES) write(file, CONTENT);
  });

  const write = (file: string, text: string) => {
    mkdirSync(join(root, dirname(file)), { recursive: true });
    writeFileSync(join(root, file), text);
  };
  const state = () =>
    execFileSync(process.execPath, ['--input-type=module', '-e', `console.log((await import('${SCRIPT}')).lintedState('${root}'))`], {
      encoding: 'utf8',
    });

  it('is the same while nothing changes that a file can depend on', () => {
    const before = state();
    write('src/pets/pet.ts', CONTENT);
    write('src/pets/pet.unit.spec.ts', 'export {};');
    write('dist/src/pets/pet.js', 'export {};');

    expect(state()).toBe(before);
  });

  it.each(FILES)('is another when %s changes', (file) => {
    const before = state();
    write(file, `${CONTENT}\n`);

    expect(state()).not.toBe(before);
  });

  it('is another when a source file moves', () => {
    const before = state();
    renameSync(join(root, 'src/pets/pet.ts'), join(root, 'src/pets/animal.ts'));

    expect(state()).not.toBe(before);
  });
});
