import { execFile } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { makeTemporaryFolder } from '../cleanup/temporary-folder.js';
import { codeBlocks, compileFaults } from './client-types.fixture.js';

const [program = ''] = codeBlocks(readFileSync('docs/guides/first-steps.md', 'utf8'), 'js');
const document = pathToFileURL(resolve('docs/openapi.json')).href;

/** Fails to compile unless an int64 is a bigint, and a smaller integer is not. */
const USE = `
import type { components, paths } from './adoption.js';

type Filters = NonNullable<paths['/pets']['get']['parameters']['query']>;
export const added: components['schemas']['NewPet'] = { name: 'Rex', categoryId: 9223372036854775807n };
export const filters: Filters = { categoryId: [7n], limit: 100 };
`;

describe('the program of the guide that makes types of the document', () => {
  it('makes a bigint of each int64', async () => {
    const folder = makeTemporaryFolder('generated-client');
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
    writeFileSync(join(folder, 'generate-types.mjs'), program.replace('http://127.0.0.1:3000/openapi.json', document));
    await promisify(execFile)(process.execPath, ['generate-types.mjs'], { cwd: folder });
    expect(compileFaults({ 'adoption.ts': readFileSync(join(folder, 'adoption.ts'), 'utf8'), 'use.ts': USE })).toEqual([]);
  });
});
