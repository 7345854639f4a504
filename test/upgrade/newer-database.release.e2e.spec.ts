import { ForwardMigration, inspectDatabase, migrateDatabase, NewerDatabaseError, parseDatabaseUrl } from '#libs/database';
import { createApp } from '../../src/bootstrap/create-app.js';
import { composition, loadServiceConfiguration } from '../../src/bootstrap/composition.js';
import { createDatabase } from '../databases/test-backend.fixture.js';
import { tamperWith, type TestDatabase } from '../databases/test-database.fixture.js';
import { runHere } from '../e2e/command-line.fixture.js';
import { startService } from '../e2e/service.fixture.js';

const { migrations } = composition();

const NEWER = 'CreateAdoptions1999999999999';
const NOTE_NEWER = `INSERT INTO "migrations" ("timestamp", "name") VALUES (1999999999999, '${NEWER}')`;
const REFUSAL = new RegExp(`was migrated by a newer build: this one does not know ${NEWER}\\. Run the newer build\\.`);

/** A migration of this build that runs while a newer build, which came first, holds the lock no more. */
class Overtaken1888888888888 extends ForwardMigration {
  protected statements(): string[] {
    return [NOTE_NEWER];
  }
}

describe('a database that a newer build has migrated', () => {
  let database: TestDatabase;
  beforeEach(async () => (database = await createDatabase()));
  afterEach(() => database.remove());

  const location = () => parseDatabaseUrl(database.url);
  const environment = () => ({ DATABASE_URL: database.url, LOG_LEVEL: 'silent' });
  const migrateByNewerBuild = async () => {
    await migrateDatabase(location(), migrations);
    await tamperWith(database.url, NOTE_NEWER);
  };

  it('is refused at the start, with the migration by name and what to do', async () => {
    await migrateByNewerBuild();
    await expect(createApp(loadServiceConfiguration(environment()))).rejects.toThrow(REFUSAL);
  });

  it('gets no migration of a build that does not know it', async () => {
    await migrateDatabase(location(), migrations.slice(0, -1));
    await tamperWith(database.url, NOTE_NEWER);
    const before = await inspectDatabase(location(), migrations);
    await expect(migrateDatabase(location(), migrations)).rejects.toThrow(REFUSAL);
    expect(await inspectDatabase(location(), migrations)).toEqual(before);
  });

  it('is refused also where the newer build came while this one waited to migrate', async () => {
    await expect(migrateDatabase(location(), [...migrations, Overtaken1888888888888])).rejects.toBeInstanceOf(NewerDatabaseError);
  });

  it('is refused by a command in one line, and is what doctor finds wrong', async () => {
    await migrateByNewerBuild();
    const { code, stdout, stderr } = await runHere(environment(), ['pets', 'export']);
    expect({ code, stdout, lines: stderr.split('\n').length }).toEqual({ code: 1, stdout: '', lines: 2 });
    expect(stderr).toMatch(REFUSAL);
    const doctor = await runHere(environment(), ['doctor', '--json']);
    expect(doctor.code).toBe(1);
    expect(JSON.parse(doctor.stdout)).toMatchObject({
      problems: [expect.stringMatching(REFUSAL)],
      database: { unknownMigrations: [NEWER] },
    });
  });

  it('stays in use by an instance that runs while it is migrated', async () => {
    const service = await startService();
    try {
      await tamperWith(service.backend['DATABASE_URL'] ?? '', NOTE_NEWER);
      expect((await service.client.post('/v1/pets', { name: 'Rex', categoryId: 7 })).status).toBe(201);
      expect((await service.client.get('/v1/pets')).json()).toEqual([{ id: 1, name: 'Rex', categoryId: 7 }]);
    } finally {
      await service.close();
    }
  });
});
