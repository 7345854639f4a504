import { inspectDatabase, type Migration, migrateDatabase, parseDatabaseUrl } from '#libs/database';
import { createApp } from '../../src/bootstrap/create-app.js';
import { composition, loadServiceConfiguration } from '../../src/bootstrap/composition.js';
import { createDatabase } from '../databases/test-backend.fixture.js';
import { tamperWith, type TestDatabase } from '../databases/test-database.fixture.js';
import { runHere } from '../e2e/command-line.fixture.js';

const { migrations } = composition();

const NEWER = 'CreateAdoptions1999999999999';
const NOTE_NEWER = `INSERT INTO "migrations" ("timestamp", "name") VALUES (1999999999999, '${NEWER}')`;
const REFUSAL = new RegExp(`was migrated by a newer build: this one does not know ${NEWER}\\. Run the newer build\\.`);

/** A migration of this build that runs while a newer build, which came first, holds the lock no more. */
const overtaken: Migration = { name: 'Overtaken1888888888888', statements: () => [NOTE_NEWER] };

// That it is refused by a command, and goes on to be used by an instance that runs, is of an upgrade.
describe('a database that a newer build has migrated', () => {
  let database: TestDatabase;
  beforeEach(async () => (database = await createDatabase()));
  afterEach(() => database.remove());

  const location = () => parseDatabaseUrl(database.url);

  it('is refused at the start, with the migration by name and what to do, and is what doctor finds wrong', async () => {
    await migrateDatabase(location(), migrations);
    await tamperWith(database.url, NOTE_NEWER);
    const environment = { DATABASE_URL: database.url, LOG_LEVEL: 'silent' };
    await expect(createApp(loadServiceConfiguration(environment))).rejects.toThrow(REFUSAL);
    const { code, stdout } = await runHere(environment, ['doctor', '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ problems: [expect.stringMatching(REFUSAL)], database: { unknownMigrations: [NEWER] } });
  });

  it('gets no migration of a build that does not know it', async () => {
    await migrateDatabase(location(), migrations.slice(0, -1));
    await tamperWith(database.url, NOTE_NEWER);
    const before = await inspectDatabase(location(), migrations);
    await expect(migrateDatabase(location(), migrations)).rejects.toThrow(REFUSAL);
    expect(await inspectDatabase(location(), migrations)).toEqual(before);
  });

  it('is refused also where the newer build came while this one waited to migrate', async () => {
    await expect(migrateDatabase(location(), [...migrations, overtaken])).rejects.toThrow(REFUSAL);
  });
});
