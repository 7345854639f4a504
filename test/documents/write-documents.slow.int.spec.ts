import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTemporaryFolder } from '../cleanup/temporary-folder.js';

const PROJECTIONS = 'docs/projections.json';
const DOCUMENTS = ['docs/openapi.json', 'docs/events.md', PROJECTIONS, 'schema.graphql', '.env.example'];
/** JSON, as what is recorded of the projections is read. */
const DRIFTED = '{ "projections": {} }\n';

describe('the documents that "npm run documents" writes', () => {
  let folder: string;
  beforeEach(() => {
    folder = makeTemporaryFolder('documents');
    mkdirSync(join(folder, 'docs'));
    for (const name of [...DOCUMENTS, 'README.md', '.prettierrc.json', '.editorconfig']) copyFileSync(name, join(folder, name));
  });

  const run = (...words: readonly string[]) =>
    spawnSync(process.execPath, [join(process.cwd(), 'dist', 'src', 'bootstrap', 'write-documents.js'), ...words], {
      cwd: folder,
      encoding: 'utf8',
    });
  const contents = () => DOCUMENTS.map((path) => readFileSync(join(folder, path), 'utf8'));
  const committed = DOCUMENTS.map((path) => readFileSync(path, 'utf8'));

  it('are the committed ones', () => {
    const { status, stderr } = run('--check');

    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  });

  it('name the source files of each event type', () => {
    expect(readFileSync('docs/events.md', 'utf8')).not.toContain('by nobody');
  });

  it('are each named where they have drifted, and none is written', () => {
    for (const path of DOCUMENTS) writeFileSync(join(folder, path), DRIFTED);
    const { status, stderr } = run('--check');

    for (const path of DOCUMENTS) expect(stderr).toContain(`${path} differs from the application`);
    expect(status).toBe(1);
    expect(contents()).toEqual(DOCUMENTS.map(() => DRIFTED));
  });

  it('are named where they are missing, and written anew', () => {
    rmSync(join(folder, 'schema.graphql'));
    const { status, stderr } = run('--check');

    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(/^schema\.graphql differs from .*\n$/) as string });
    expect(run().status).toBe(0);
    expect(contents()).toEqual(committed);
  });

  it('are the table of variables in the README, and nothing else there', () => {
    const path = join(folder, 'README.md');
    const readme = readFileSync(path, 'utf8');
    writeFileSync(path, readme.replace(/^\| `PORT`.*\n/m, ''));

    expect(run('--check').stderr).toMatch(/^README\.md differs from .*\n$/);
    expect(run().status).toBe(0);
    expect(readFileSync(path, 'utf8')).toBe(readme);
  });

  it.each([[['--check']], [[]]])('are not made while a projection has changed but not its version: %j', (words) => {
    for (const path of DOCUMENTS) writeFileSync(join(folder, path), DRIFTED);
    const recorded = readFileSync(PROJECTIONS, 'utf8').replace(/(?<="pets": .*"fingerprint": ")\w+/, 'another');
    writeFileSync(join(folder, PROJECTIONS), recorded);
    const { status, stderr } = run(...words);

    expect({ status, lines: stderr.trimEnd().split('\n').length }).toEqual({ status: 1, lines: 1 });
    expect(stderr).toMatch(/the projection pets have changed .*: raise `version` in src\/pets\/read-model\/pets\.projection\.ts/);
    expect(contents()).toEqual(DOCUMENTS.map((path) => (path === PROJECTIONS ? recorded : DRIFTED)));
  });

  it('all stay as they are where one cannot be made', () => {
    for (const path of DOCUMENTS) writeFileSync(join(folder, path), DRIFTED);
    const unknownParser = { overrides: [{ files: 'schema.graphql', options: { parser: 'none-such' } }] };
    writeFileSync(join(folder, '.prettierrc.json'), JSON.stringify(unknownParser));

    expect(run().status).toBe(1);
    expect(contents()).toEqual(DOCUMENTS.map(() => DRIFTED));
  });
});
