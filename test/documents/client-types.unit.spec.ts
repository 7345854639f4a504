import { readFileSync } from 'node:fs';
import { buildSchema, isScalarType, isSpecifiedScalarType } from 'graphql';
import { codeBlocks, compileFaults, generateTypes, readConfiguration, type ClientConfiguration } from './client-types.fixture.js';

const guide = readFileSync('docs/guides/graphql-types.md', 'utf8');
const [configurationText = '', use = ''] = codeBlocks(guide, 'ts');
const operation = codeBlocks(guide, 'graphql').find((block) => block.startsWith('query PetHistory')) ?? '';
const schema = readFileSync('schema.graphql', 'utf8');
const customScalars = Object.values(buildSchema(schema).getTypeMap())
  .filter((type) => isScalarType(type) && !isSpecifiedScalarType(type))
  .map(({ name }) => name);

/** Fails to compile where a type is another one than it should be; `any` is no type but itself. */
const EXPECTED_TYPES = `
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

describe('the types that docs/guides/graphql-types.md has made for a client', () => {
  let configuration: ClientConfiguration;
  beforeAll(async () => (configuration = await readConfiguration(configurationText)));

  it('are strict, and made of the schema of the service', () => {
    expect(configuration.schema).toBe('schema.graphql');
    expect(Object.entries(configuration.generates)).toEqual([
      ['client/adoption.ts', expect.objectContaining({ config: expect.objectContaining({ strictScalars: true }) as unknown })],
    ]);
  });

  it('compile in strict mode, with the use that is shown and each scalar as it is mapped', async () => {
    const types = await generateTypes(configuration, schema, operation);
    expect(compileFaults({ 'adoption.ts': types, 'use.ts': use, 'expected.ts': EXPECTED_TYPES })).toEqual([]);
    expect(types).not.toMatch(/\bany\b/);
  });

  it('map every scalar of the schema', () => {
    expect(customScalars.length).toBeGreaterThan(1);
    for (const { config } of Object.values(configuration.generates)) {
      expect(Object.keys(config.scalars)).toEqual(expect.arrayContaining(customScalars));
    }
  });
});
