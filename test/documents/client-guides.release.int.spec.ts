import { execFileSync } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { codegen } from '@graphql-codegen/core';
import * as typescriptOperations from '@graphql-codegen/typescript-operations';
import { parse } from 'graphql';
import ts from 'typescript';
import { makeTemporaryFolder } from '../cleanup/temporary-folder.js';
import { fencedBlocks, readDocument } from '../e2e/readme/readme-text.js';
import { compileErrors } from './compile-errors.fixture.js';

/** What `codegen.ts` of the guide exports. */
interface Configuration {
  readonly generates: Readonly<Record<string, { readonly config: object }>>;
}

/** Compiles only if each type is the expected one; `any` equals no other type. */
const GRAPHQL_TYPES = `
import type { PetHistoryQuery, PetHistoryQueryVariables } from './adoption.js';

type Same<One, Other> = (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;
type Pet = NonNullable<PetHistoryQuery['pet']>;
type Change = Pet['history'][number];

export const same: [
  Same<Pet['id'], string>,
  Same<Change['recordedAt'], string>,
  Same<Change['data'], unknown>,
  Same<PetHistoryQueryVariables['id'], string>,
  Same<PetHistoryQueryVariables['asOf'], Date | string | null | undefined>,
] = [true, true, true, true, true];
`;

/** Compiles only if an int64 is a bigint, and a smaller integer is not. */
const REST_TYPES = `
import type { components, paths } from './adoption.js';

type Filters = NonNullable<paths['/pets']['get']['parameters']['query']>;
export const added: components['schemas']['NewPet'] = { name: 'Rex', categoryId: 9223372036854775807n };
export const filters: Filters = { categoryId: [7n], limit: 100 };
`;

describe('the types that the guides generate for clients', () => {
  const blocks = (guide: string, language: string) =>
    fencedBlocks(readDocument(`docs/guides/${guide}`)).flatMap((block) => (block.language === language ? [`${block.text}\n`] : []));

  it('compile with the use that the guide of GraphQL shows, and are exact', async () => {
    const [configuration = '', use = ''] = blocks('graphql-types.md', 'ts');
    const operation = blocks('graphql-types.md', 'graphql').find((block) => block.startsWith('query PetHistory')) ?? '';
    const file = join(makeTemporaryFolder('codegen'), 'codegen.mjs');
    writeFileSync(file, ts.transpileModule(configuration, { compilerOptions: { module: ts.ModuleKind.ESNext } }).outputText);
    const { default: exported } = (await import(file)) as { default: Configuration };
    const types = await codegen({
      filename: 'adoption.ts',
      schema: parse(readFileSync('schema.graphql', 'utf8')),
      documents: [{ location: 'operation.graphql', document: parse(operation) }],
      config: exported.generates['client/adoption.ts']?.config ?? {},
      plugins: [{ 'typescript-operations': {} }],
      pluginMap: { 'typescript-operations': typescriptOperations },
    });
    expect(compileErrors({ 'adoption.ts': types, 'use.ts': use, 'types.ts': GRAPHQL_TYPES })).toEqual([]);
    expect(types).not.toMatch(/\bany\b/);
  });

  it('have a bigint for each int64 of the OpenAPI document', () => {
    const folder = makeTemporaryFolder('generated-client');
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
    const [program = ''] = blocks('first-steps.md', 'js');
    const document = pathToFileURL(resolve('docs/openapi.json')).href;
    writeFileSync(join(folder, 'generate-types.mjs'), program.replace('http://127.0.0.1:3000/openapi.json', document));
    execFileSync(process.execPath, ['generate-types.mjs'], { cwd: folder });
    expect(compileErrors({ 'adoption.ts': readFileSync(join(folder, 'adoption.ts'), 'utf8'), 'types.ts': REST_TYPES })).toEqual([]);
  });
});
