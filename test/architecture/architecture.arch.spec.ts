import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { roles } from './layout.js';
import { readProjectTree } from './project-tree.js';
import type { Violation } from './rule.js';
import { rules } from './rules/index.js';

const root = join(import.meta.dirname, '..', '..');

function toText({ rule, file, line, message }: Violation): string {
  return `${file}:${line} ${rule}: ${message}`;
}

describe('the architecture', () => {
  const tree = readProjectTree(root);

  it('is read from the real tree', () => {
    const eventStore = tree.files.find(({ path }) => path === 'libs/event-sourcing/event-store/event-store.ts');

    expect(eventStore?.imports.map(({ specifier }) => specifier)).toContain('#libs/database');
  });

  it('only holds imports that lead to a file', () => {
    const lost = tree.files.flatMap(({ path, imports }) =>
      imports
        .filter(({ target }) => target && !existsSync(join(root, target.path)))
        .map(({ specifier, line }) => `${path}:${line} ${specifier}`),
    );

    expect(lost).toEqual([]);
  });

  it('has a file of each role', () => {
    const names = tree.files.map(({ path }) => basename(path).split('.').slice(1, -1));

    expect(roles.filter((role) => !names.some((suffixes) => suffixes.includes(role)))).toEqual([]);
  });

  it.each(rules)('follows the rule $name', (rule) => {
    expect(rule.check(tree).map(toText)).toEqual([]);
  });
});
