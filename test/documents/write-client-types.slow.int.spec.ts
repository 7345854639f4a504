import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTemporaryFolder } from '../cleanup/temporary-folder.js';
import { compileFaults } from './client-types.fixture.js';

const DOCUMENT = 'docs/openapi.json';
const TYPES = 'packages/client/src/document.ts';

describe('the types of the client that are made from the OpenAPI document', () => {
  let folder: string;
  beforeEach(() => (folder = makeTemporaryFolder('client-types')));

  const run = (...words: readonly string[]) =>
    spawnSync(process.execPath, ['scripts/write-client-types.mjs', ...words], { encoding: 'utf8' });
  /** What is made where the text of the document is another. */
  const made = (change: (document: string) => string) => {
    const [document, target] = [join(folder, 'openapi.json'), join(folder, 'document.ts')];
    writeFileSync(document, change(readFileSync(DOCUMENT, 'utf8')));
    const { status, stderr } = run(document, target);
    return { status, stderr, types: status === 0 ? readFileSync(target, 'utf8') : '' };
  };

  it('are the committed ones', () => {
    const { status, stderr } = run('--check');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(made((document) => document).types).toBe(readFileSync(TYPES, 'utf8'));
  });

  it('are named where they have drifted or are missing, and are not written', () => {
    const target = join(folder, 'document.ts');
    const missing = run('--check', DOCUMENT, target);
    writeFileSync(target, 'drifted\n');
    for (const { status, stderr } of [missing, run('--check', DOCUMENT, target)]) {
      expect(stderr).toContain(`${TYPES} is not what ${DOCUMENT} makes`);
      expect(status).toBe(1);
    }
    expect(readFileSync(target, 'utf8')).toBe('drifted\n');
  });

  it('change with the document', () => {
    expect(made((document) => document.replaceAll('"sold"', '"adopted"')).types).toContain("'available' | 'pending' | 'adopted'");
  });

  it('compile where a module has schemas that are called as types of the client itself', () => {
    const committed = readFileSync(TYPES, 'utf8');
    const exported = [...committed.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name = '']) => name);
    const { types } = made((text) => {
      const document = JSON.parse(text) as { components: { schemas: Record<string, object> } };
      const { schemas } = document.components;
      const own = exported.filter((name) => !(name in schemas));
      expect(own).toEqual(expect.arrayContaining(['AdoptionEvent', 'Animal', 'EventType']));
      return JSON.stringify({
        ...document,
        components: {
          ...document.components,
          schemas: { ...schemas, ...Object.fromEntries(own.map((name) => [name, schemas['Inventory']])) },
        },
      });
    });
    expect(types).toContain('export interface AdoptionEventResource<Id> {');
    expect(compileFaults({ 'document.ts': types })).toEqual([]);
  });

  it('cannot be made where a member of one name is an int64 here and another number there', () => {
    const { status, stderr } = made((document) => document.replaceAll('"quantity"', '"version"'));
    expect(stderr).toContain('An int64 in one place and another number elsewhere: version.');
    expect(status).toBe(1);
  });
});
