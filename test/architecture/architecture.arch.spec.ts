import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { roles } from './layout.js';
import { readProjectTree, type ProjectTree } from './project-tree.js';
import type { Violation } from './rule.js';
import { rules } from './rules/index.js';

const root = join(import.meta.dirname, '..', '..');
const fixtures = join(import.meta.dirname, 'fixtures');

/** Fixtures end each offending line in this comment; line 1 of a file whose name is at fault. */
const MARK = /\/\/ breaks the rule$/;

function validationErrors(tree: ProjectTree): Violation[] {
  return rules.flatMap((rule) => rule.check(tree));
}

function toText({ rule, file, line, message }: Violation): string {
  return `${file}:${line} ${rule}: ${message}`;
}

function markedLines(fixture: string): string[] {
  return readProjectTree(fixture)
    .files.flatMap(({ path }) =>
      readFileSync(join(fixture, path), 'utf8')
        .split('\n')
        .flatMap((text, index) => (MARK.test(text) ? [`${path}:${index + 1}`] : [])),
    )
    .sort();
}

describe('the architecture', () => {
  const tree = readProjectTree(root);

  it('is read from the real tree', () => {
    const eventStore = tree.files.find(({ path }) => path === 'libs/event-store/event-store.ts');

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

  it.each(rules.map(({ name }) => name))('follows the rule %s', (name) => {
    const found = validationErrors(tree).filter(({ rule }) => rule === name);

    expect(found.map(toText)).toEqual([]);
  });
});

describe('the rules of the architecture', () => {
  it('have one fixture each', () => {
    expect(readdirSync(fixtures).sort()).toEqual(rules.map(({ name }) => name).sort());
  });

  it.each(rules.map(({ name }) => name))('%s reports the marked lines of its fixture, and no other rule reports any', (name) => {
    const fixture = join(fixtures, name);
    const found = validationErrors(readProjectTree(fixture));

    expect(found.map(({ file, line }) => `${file}:${line}`).sort()).toEqual(markedLines(fixture));
    expect(new Set(found.map(({ rule }) => rule))).toEqual(new Set([name]));
  });
});
