import { petsProjection } from '../../src/pets/read-model/pets.projection.js';
import type { SourceChanges } from '../builds/changed-build.fixture.js';

/** The migration that the version of today does not know. */
export const NEXT_MIGRATION = 'CreateShelters1999999999999';

/** What the next version says of animals that were added before it. */
export const SHELTER_BEFORE = 'not recorded';

/** What the next version changes in which source file: everything that two builds on one database may differ in. */
export const changes: SourceChanges = {
  'src/pets/index.ts': [
    {
      replace: 'migrations: importMigrations,',
      by: `migrations: [
        ...importMigrations,
        { name: '${NEXT_MIGRATION}', statements: () => ['CREATE TABLE "shelters" ("name" TEXT PRIMARY KEY)'] },
      ],`,
    },
  ],
  'src/pets/domain/pet.events.ts': [
    {
      replace: `'pet-added': {
    schemaVersion: 1,`,
      by: `'pet-registered': { schemaVersion: 1, data: { by: 'text' }, published: false },
  'pet-added': {
    schemaVersion: 2,
    upcasters: { 1: (data) => ({ ...data, shelter: '${SHELTER_BEFORE}' }) },`,
    },
  ],
  'src/pets/domain/pet.decider.ts': [
    {
      replace: 'return [add(command.details, state)];',
      by: `return [{ type: 'pet-registered', data: { by: 'the next version' } }, add(command.details, state)];`,
    },
    {
      replace: 'data: writeEventData(details) };',
      by: `data: { ...writeEventData(details), shelter: 'the new one' } };`,
    },
  ],
  'src/pets/domain/pet-fields.ts': [
    {
      replace: 'readonly status?: PetStatus | undefined;\n',
      by: `readonly status?: PetStatus | undefined;

  @IfGiven()
  @IsText(50)
  @ApiDescription('The breed.')
  readonly breed?: string | undefined;
`,
    },
  ],
  'src/pets/read-model/pet.entity.ts': [
    {
      replace: '  @Column(columnTypes.time) readonly addedAt',
      by: '  @Column(columnTypes.text) readonly initial!: string;\n  @Column(columnTypes.time) readonly addedAt',
    },
  ],
  'src/pets/read-model/pets.projection.ts': [
    { replace: `version: ${petsProjection.version},`, by: `version: ${petsProjection.version + 1},` },
    { replace: 'foldedName: name,', by: 'initial: name.slice(0, 1), foldedName: name,' },
  ],
};
