import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readProjectTree, treeOf, type ProjectFile } from './project-tree.js';
import { rules } from './rules.js';

const root = join(import.meta.dirname, '..', '..');

/** Returns the imports that break a rule, each with what is wrong. */
function findBroken(name: string, tree: readonly ProjectFile[]): string[] {
  return tree.flatMap((file) =>
    file.imports.flatMap((one) => {
      const message = rules[name]?.(one, file, tree);
      return message === undefined ? [] : [`${file.path}: ${message} (see docs/develop/architecture.md)`];
    }),
  );
}

describe('the architecture', () => {
  const tree = readProjectTree(root);

  it('is read from the real tree, and holds only imports that lead to a file', () => {
    const eventStore = tree.find(({ path }) => path === 'libs/event-sourcing/event-store/event-store.ts');
    expect(eventStore?.imports.map(({ specifier }) => specifier)).toContain('#libs/database');
    const lost = tree
      .filter(({ isSpec }) => !isSpec)
      .flatMap(({ path, imports }) =>
        imports.flatMap(({ target, specifier }) => (target && !existsSync(join(root, target.path)) ? [`${path} ${specifier}`] : [])),
      );
    expect(lost).toEqual([]);
  });

  it.each(Object.keys(rules))('follows the rule %s', (name) => {
    expect(findBroken(name, tree)).toEqual([]);
  });

  it.each<[rule: string, files: Readonly<Record<string, string>>]>([
    ['libraries-through-index', { 'src/pets/a.ts': `import '#libs/http/guides/page.js';` }],
    ['library-direction', { 'libs/http/a.ts': `await import('../../src/pets/index.js');` }],
    ['library-direction', { 'libs/database/a.ts': `export * from '#libs/http';` }],
    ['library-direction', { 'libs/extra/a.ts': `export * from '#libs/http';` }],
    ['no-test-code', { 'src/pets/a.ts': `import '#libs/testing';` }],
    ['packages-alone', { 'packages/client/src/a.ts': `import 'fastify';` }],
    ['source-through-index', { 'src/pets/a.ts': `import type { A } from '../orders/domain/a.js';` }],
    [
      'module-dependencies',
      {
        'src/pets/index.ts': `import '../orders/index.js';`,
        'src/pets/pets.module.ts': '',
        'src/orders/index.ts': `import '../pets/index.js';`,
        'src/orders/orders.module.ts': '',
      },
    ],
    ['pure-domain', { 'src/pets/domain/a.ts': `import { randomUUID } from 'node:crypto';` }],
    ['transport-through-buses', { 'src/pets/rest/a.ts': `import {\n  type A,\n  EventStore,\n} from '#libs/event-sourcing';` }],
  ])('would be found to break %s', (name, files) => {
    expect(findBroken(name, treeOf(Object.entries(files)))).not.toEqual([]);
  });
});
