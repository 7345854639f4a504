import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readProjectTree, treeOf } from './project-tree.js';
import type { Violation } from './rule.js';
import { rules } from './rules/index.js';

const root = join(import.meta.dirname, '..', '..');

/** Files that break one rule each, with the file that the rule names. */
const BROKEN: readonly (readonly [rule: string, files: Readonly<Record<string, string>>, named: string])[] = [
  ['file-names', { 'src/pets/addPet.ts': '' }, 'src/pets/addPet.ts'],
  ['file-names', { 'src/pets/commands/pet.decider.ts': '' }, 'src/pets/commands/pet.decider.ts'],
  ['known-libraries', { 'libs/extra/index.ts': '' }, 'libs/extra/index.ts'],
  ['libraries-through-index', { 'src/pets/a.ts': `import '#libs/http/guides/page.js';` }, 'src/pets/a.ts'],
  ['libraries-without-source', { 'libs/http/a.ts': `await import('../../src/pets/index.js');` }, 'libs/http/a.ts'],
  ['library-direction', { 'libs/database/a.ts': `export * from '#libs/http';` }, 'libs/database/a.ts'],
  ['no-test-code', { 'src/pets/a.ts': `import '#libs/testing';` }, 'src/pets/a.ts'],
  ['packages-alone', { 'packages/client/src/a.ts': `import 'fastify';` }, 'packages/client/src/a.ts'],
  ['source-through-index', { 'src/pets/a.ts': `import type { A } from '../orders/domain/a.js';` }, 'src/pets/a.ts'],
  [
    'module-dependencies',
    {
      'src/pets/index.ts': `import '../orders/index.js';`,
      'src/pets/pets.module.ts': '',
      'src/orders/index.ts': `import '../pets/index.js';`,
      'src/orders/orders.module.ts': '',
    },
    'src/pets/index.ts',
  ],
  ['pure-domain', { 'src/pets/domain/a.ts': `import { randomUUID } from 'node:crypto';` }, 'src/pets/domain/a.ts'],
  ['transport-through-buses', { 'src/pets/rest/a.ts': `import { EventStore } from '#libs/event-sourcing';` }, 'src/pets/rest/a.ts'],
  ['no-file-cycles', { 'src/pets/a.ts': `import './b.js';`, 'src/pets/b.ts': `import type {} from './a.js';` }, 'src/pets/a.ts'],
  [
    'no-folder-cycles',
    { 'libs/http/a/a.ts': `import '../b/b.js';`, 'libs/http/b/b.ts': '', 'libs/http/b/c.ts': `import '../a/a.js';` },
    'libs/http/a/a.ts',
  ],
];

function toText({ rule, file, line, message }: Violation): string {
  return `${file}:${line} ${rule}: ${message}`;
}

describe('the architecture', () => {
  const tree = readProjectTree(root);

  it('is read from the real tree, and holds only imports that lead to a file', () => {
    const eventStore = tree.files.find(({ path }) => path === 'libs/event-sourcing/event-store/event-store.ts');
    expect(eventStore?.imports.map(({ specifier }) => specifier)).toContain('#libs/database');
    const lost = tree.files.flatMap(({ path, imports }) =>
      imports
        .filter(({ target }) => target && !existsSync(join(root, target.path)))
        .map(({ specifier, line }) => `${path}:${line} ${specifier}`),
    );
    expect(lost).toEqual([]);
  });

  it.each(rules)('follows the rule $name', (rule) => {
    expect(rule.check(tree).map(toText)).toEqual([]);
  });

  it.each(BROKEN)('would be found to break %s', (name, files, named) => {
    const broken = rules.find((rule) => rule.name === name)?.check(treeOf(Object.entries(files))) ?? [];
    expect(broken.map(({ file }) => file)).toContain(named);
  });

  it('has a broken example of every rule', () => {
    expect(new Set(BROKEN.map(([name]) => name))).toEqual(new Set(rules.map(({ name }) => name)));
  });

  it('shows a test in docs/nest.md that runs', () => {
    const test = readFileSync(join(root, 'src/pets/test/add-pet.int.spec.ts'), 'utf8');
    expect(readFileSync(join(root, 'docs/nest.md'), 'utf8')).toContain(`\`\`\`ts\n${test}\`\`\`\n`);
  });
});
