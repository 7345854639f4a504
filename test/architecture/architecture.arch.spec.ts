import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { roles } from './layout.js';
import { readProjectTree, toProjectTree } from './project-tree.js';
import type { Violation } from './rule.js';
import { rules } from './rules/index.js';
import { violations } from './violations.js';

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

describe('the rules of the architecture', () => {
  const found = rules.flatMap((rule) => rule.check(toProjectTree(violations)));
  const marked = Object.entries(violations).flatMap(([file, text]) =>
    text.split('\n').flatMap((line, index) => {
      const names = / \/\/ breaks ([a-z, -]+)$/.exec(line)?.[1]?.split(', ') ?? [];
      return names.map((rule) => ({ rule, place: `${file}:${index + 1}` }));
    }),
  );

  it('are all broken by a marked line', () => {
    expect(new Set(marked.map(({ rule }) => rule))).toEqual(new Set(rules.map(({ name }) => name)));
  });

  it.each(rules.map(({ name }) => name))('%s reports the lines marked with it, and no other', (name) => {
    const reported = found.filter(({ rule }) => rule === name).map(({ file, line }) => `${file}:${line}`);

    expect(reported.sort()).toEqual(
      marked
        .filter(({ rule }) => rule === name)
        .map(({ place }) => place)
        .sort(),
    );
  });
});
