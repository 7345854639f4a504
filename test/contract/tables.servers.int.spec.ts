import { listTables, parseDatabaseUrl, readDatabase, readTable } from '#libs/database';
import { createPostgresDatabase, createSqliteDatabase, execute, type TestDatabase } from '../databases/test-database.fixture.js';

describe.each([
  ['SQLite', createSqliteDatabase],
  ['PostgreSQL', createPostgresDatabase],
])('the tables of a database on %s', (_, create: () => Promise<TestDatabase>) => {
  let database: TestDatabase;
  beforeEach(async () => {
    database = await create();
    await execute(
      database.url,
      `CREATE TABLE "animals" ("id" integer PRIMARY KEY);
       CREATE TABLE "marks" ("note" text, "owner" varchar(9) NOT NULL, "mark" bigint NOT NULL, PRIMARY KEY ("mark", "owner"));
       CREATE INDEX "marks_note" ON "marks" ("note");
       INSERT INTO "marks" VALUES ('e', 'b', 2), ('a', 'a', 1), (NULL, 'b', 1), ('c', 'c', 1), ('f', 'a', 9223372036854775807), ('d', 'a', 2)`,
    );
  });
  afterEach(() => database.remove());

  it('are listed with the order of their primary key, and read in pages by it, each row once', async () => {
    const pages = await readDatabase(parseDatabaseUrl(database.url), async (runner) => {
      const [animals, marks] = await listTables(runner);
      expect([animals, marks]).toEqual([
        { name: 'animals', columns: ['id'], primaryKey: ['id'] },
        { name: 'marks', columns: ['note', 'owner', 'mark'], primaryKey: ['mark', 'owner'] },
      ]);
      const found = [];
      if (marks) for await (const page of readTable(runner, marks, 2)) found.push(page.map((row) => row.map(String).join(' ')));
      return found;
    });
    expect(pages).toEqual([
      ['a a 1', 'null b 1'],
      ['c c 1', 'd a 2'],
      ['e b 2', 'f a 9223372036854775807'],
    ]);
  });
});
