import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const DOCUMENTS = ['docs/openapi.json', 'docs/events.md', 'schema.graphql'];
const DRIFTED = 'drifted\n';

describe('the documents that "npm run documents" writes', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'adoption-documents-'));
    mkdirSync(join(folder, 'docs'));
    for (const name of [...DOCUMENTS, '.prettierrc.json', '.editorconfig']) copyFileSync(name, join(folder, name));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

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

  it('are each named where they have drifted, and none is written', () => {
    for (const path of DOCUMENTS) writeFileSync(join(folder, path), DRIFTED);
    const { status, stderr } = run('--check');

    for (const path of DOCUMENTS) expect(stderr).toContain(`${path} is not what the application makes`);
    expect(status).toBe(1);
    expect(contents()).toEqual(DOCUMENTS.map(() => DRIFTED));
  });

  it('are named where they are missing, and written anew', () => {
    rmSync(join(folder, 'schema.graphql'));
    const { status, stderr } = run('--check');

    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(/^schema\.graphql is not .*\n$/) as string });
    expect(run().status).toBe(0);
    expect(contents()).toEqual(committed);
  });

  it('all stay as they are where one cannot be made', () => {
    for (const path of DOCUMENTS) writeFileSync(join(folder, path), DRIFTED);
    const unknownParser = { overrides: [{ files: 'schema.graphql', options: { parser: 'none-such' } }] };
    writeFileSync(join(folder, '.prettierrc.json'), JSON.stringify(unknownParser));

    expect(run().status).toBe(1);
    expect(contents()).toEqual(DOCUMENTS.map(() => DRIFTED));
  });
});
