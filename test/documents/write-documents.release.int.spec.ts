import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { makeTemporaryFolder } from '../cleanup/temporary-folder.js';

const DOCUMENTS = ['docs/reference/openapi.json', 'docs/reference/events.md', 'docs/reference/schema.graphql', '.env.example'];
/** Pages of which a part is generated. */
const PAGES = ['docs/reference/configuration.md', 'docs/reference/command-line.md', 'docs/reference/errors.md'];
const DRIFTED = '{ "projections": {} }\n';

const run = (cwd: string, script: string, ...words: readonly string[]) =>
  spawnSync(process.execPath, [resolve(script), ...words], { cwd, encoding: 'utf8' });

describe('the documents that "npm run documents" writes', () => {
  let folder: string;
  beforeEach(() => {
    folder = makeTemporaryFolder('documents');
    mkdirSync(join(folder, 'docs/reference'), { recursive: true });
    for (const name of [...PAGES, 'package.json', '.editorconfig']) copyFileSync(name, join(folder, name));
    for (const name of DOCUMENTS) writeFileSync(join(folder, name), DRIFTED);
  });

  const write = (...words: readonly string[]) => run(folder, 'scripts/write-documents.mjs', ...words);
  const contents = () => DOCUMENTS.map((path) => readFileSync(join(folder, path), 'utf8'));

  it('are each named if they have drifted, and replaced only without --check', () => {
    const page = readFileSync(join(folder, 'docs/reference/configuration.md'), 'utf8');
    writeFileSync(join(folder, 'docs/reference/configuration.md'), page.replace(/^\| `PORT`.*\n/m, ''));
    const { status, stderr } = write('--check');
    for (const path of [...DOCUMENTS, 'docs/reference/configuration.md']) expect(stderr).toContain(`${path} differs from the application`);
    expect([status, contents()]).toEqual([1, DOCUMENTS.map(() => DRIFTED)]);
    expect(write().status).toBe(0);
    expect(contents()).toEqual(DOCUMENTS.map((path) => readFileSync(path, 'utf8')));
    expect(readFileSync(join(folder, 'docs/reference/configuration.md'), 'utf8')).toBe(page);
  });

  it.each([
    ['"sold"', '"adopted"', 0, 'is not what docs/reference/openapi.json makes'],
    ['"quantity"', '"version"', 1, 'An int64 in one place and another number elsewhere: version.'],
  ])('include the types of the client, which differ with %s as %s', (word, other, written, told) => {
    const [document, types] = [join(folder, 'docs/reference/openapi.json'), join(folder, 'document.ts')];
    writeFileSync(document, readFileSync('docs/reference/openapi.json', 'utf8').replaceAll(word, other));
    copyFileSync('packages/client/src/document.ts', types);
    const { status, stderr } = run('.', 'scripts/write-client-types.mjs', '--check', document, types);
    expect([status, stderr]).toEqual([1, expect.stringContaining(told)]);
    expect(run('.', 'scripts/write-client-types.mjs', document, types).status).toBe(written);
  });
});
