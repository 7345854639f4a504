import { describeLocation, listTables, migrateDatabase, parseDatabaseUrl, raw, readDatabase, type DatabaseLocation } from '#libs/database';
import { libraryMigrations } from '#libs/testing';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import { postgresUrl } from '../databases/servers.mjs';
import { createPostgresDatabase, execute, type TestDatabase } from '../databases/test-database.fixture.js';
import { runHere } from '../e2e/command-line.fixture.js';
import { counted } from './counting.fixture.js';
import { openStore } from './store-under-test.js';

interface Roles {
  readonly database: string;
  readonly owner: string;
  readonly serving: string;
}

/** Where the tables go, and how both roles come to look there. */
const SCHEMAS: readonly (readonly [schema: string, arrange: (roles: Roles) => string])[] = [
  ['public', ({ owner }) => `GRANT ALL ON SCHEMA public TO "${owner}" WITH GRANT OPTION`],
  [
    'that of the database',
    ({ database, owner }) =>
      `CREATE SCHEMA "Adoption-1" AUTHORIZATION "${owner}"; ALTER DATABASE "${database}" SET search_path = "Adoption-1", public`,
  ],
  [
    'that of the owner',
    ({ owner, serving }) => `CREATE SCHEMA "${owner}" AUTHORIZATION "${owner}"; ALTER ROLE "${serving}" SET search_path = "${owner}"`,
  ],
];

describe('a database whose tables belong to another role than the one that serves', () => {
  let database: TestDatabase;
  let roles: Roles;
  let location: DatabaseLocation & { readonly url: string; readonly migrationUrl: string };

  beforeEach(async () => {
    database = await createPostgresDatabase();
    const name = describeLocation(parseDatabaseUrl(database.url)).split(' ')[0] ?? '';
    roles = { database: name, owner: `${name}_owner`, serving: `${name}_serving` };
    await asSuperuser(`CREATE ROLE "${roles.serving}" LOGIN; CREATE ROLE "${roles.owner}" LOGIN IN ROLE "${roles.serving}"`);
    // Their rights and their tables go with the database.
    closeAtEnd(() => database.remove().then(() => execute(postgresUrl, `DROP ROLE "${roles.serving}"; DROP ROLE "${roles.owner}"`)));
    location = { kind: 'postgres', url: urlOf(roles.serving), migrationUrl: urlOf(roles.owner) };
  });

  const urlOf = (role: string): string => {
    const url = new URL(database.url);
    url.username = role;
    return url.href;
  };

  const asSuperuser = (statements: string) => execute(database.url, statements);

  it.each(SCHEMAS)(
    'in the schema %s is served by a role that may append but not change an event, nor migrate, beside tables of its own',
    async (_, arrange) => {
      await asSuperuser(arrange(roles));
      const { database: opened, store, close } = await openStore(location);
      await store.append([{ stream: { newIn: 'counter' }, events: [counted(1)] }], {
        metadata: { actor: 'system' },
      });
      for (const statement of ['UPDATE "events" SET "data" = \'{}\'', 'DELETE FROM "events"', 'TRUNCATE "events"']) {
        await expect(opened.transaction((transaction) => transaction.query(raw(statement)))).rejects.toThrow('permission denied');
      }
      const tables = (await listTables(opened.reader)).map(({ name }) => name);
      expect(tables).toEqual(expect.arrayContaining(['events', 'sums_v1']));
      const sizes = await opened.reader.dialect.storageSize((statement) => opened.reader.query(statement));
      expect(sizes.tables.map(({ table }) => table)).toEqual(tables);
      await close();
      const migrations = [...libraryMigrations, { name: 'AddTable1999999999999', statements: () => [] }];
      const asServing = { ...location, migrationUrl: location.url };
      await expect(migrateDatabase(asServing, migrations)).rejects.toThrow('permission denied');
      expect(await migrateDatabase(location, migrations)).toEqual(['AddTable1999999999999']);
    },
  );

  it('is all that the commands need', async () => {
    await asSuperuser(SCHEMAS[2]?.[1](roles) ?? '');
    const run = (...words: string[]) => runHere({ DATABASE_URL: location.url, MIGRATION_DATABASE_URL: location.migrationUrl }, words);
    for (const words of ['db migrate', 'keys create --name website', 'projections rebuild pets', 'projections prune', 'doctor --full']) {
      expect(await run(...words.split(' '))).toMatchObject({ code: 0 });
    }
  });

  it('says what is wrong where the serving role looks for the tables in another schema', async () => {
    await asSuperuser(`CREATE SCHEMA "${roles.owner}" AUTHORIZATION "${roles.owner}"`);
    const message = 'was migrated, but the role of DATABASE_URL does not see its tables: give it the search_path of';
    await expect(openStore(location)).rejects.toThrow(message);
  });

  it('is left as it was by a migration that does not come to the giving of rights, and migrated by the next', async () => {
    await asSuperuser(`${SCHEMAS[0]?.[1](roles) ?? ''};
      CREATE FUNCTION "fail"() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'broken off'; END $$;
      CREATE EVENT TRIGGER "fail" ON ddl_command_start WHEN TAG IN ('GRANT') EXECUTE FUNCTION "fail"()`);
    await expect(migrateDatabase(location, libraryMigrations)).rejects.toThrow('broken off');
    expect(await readDatabase(location, listTables)).toEqual([]);
    await asSuperuser('DROP EVENT TRIGGER "fail"');
    expect(await migrateDatabase(location, libraryMigrations)).toHaveLength(libraryMigrations.length);
  });
});
