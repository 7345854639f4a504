import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createPostgresDatabase, createSqliteDatabase } from '../databases/test-database.fixture.js';
import { launch, type Finished } from './built-service.fixture.js';
import { animals, runHere } from './command-line.fixture.js';

/** A database in a file, one on the server to transfer it to, and the command line on either. */
export interface TransferUnderTest {
  /** As `DATABASE_URL` takes them. The target's carries a password. */
  readonly source: string;
  readonly target: string;
  /** A connection to the target beside everything else. */
  readonly observer: pg.Client;
  onSource(...words: string[]): Promise<Finished>;
  onTarget(...words: string[]): Promise<Finished>;
  /** Runs `db transfer` in this process. */
  transfer(): Promise<Finished>;
  /** Starts `db transfer` as a process of its own. */
  startTransfer(): ReturnType<typeof launch>;
  /** Adds that many animals to the source, by import of one file whose name it gives. */
  addAnimals(count: number): Promise<string>;
  /** Makes the target, which must be migrated, wait before it takes an event after this position. */
  holdAfter(position: number): Promise<Hold>;
  remove(): Promise<void>;
}

export interface Hold {
  /** Resolves when somebody waits. */
  readonly reached: () => Promise<void>;
  readonly release: () => Promise<void>;
}

export const PASSWORD = 'a-word-that-nobody-prints';

export async function openTransfer(): Promise<TransferUnderTest> {
  const folder = await mkdtemp(join(tmpdir(), 'adoption-transfer-'));
  const [source, server] = await Promise.all([createSqliteDatabase(), createPostgresDatabase()]);
  const target = new URL(server.url);
  target.password = PASSWORD;
  const observer = new pg.Client({ connectionString: server.url });
  await observer.connect();
  const words = ['db', 'transfer', '--to', target.href];
  const onSource: TransferUnderTest['onSource'] = (...others) => runHere({ DATABASE_URL: source.url }, others);
  await onSource('db', 'migrate');
  return {
    source: source.url,
    target: target.href,
    observer,
    onSource,
    onTarget: (...others) => runHere({ DATABASE_URL: target.href }, others),
    transfer: () => onSource(...words),
    startTransfer: () => launch('cli', words, { cwd: folder, environment: { DATABASE_URL: source.url } }),
    async addAnimals(count) {
      const file = join(folder, `${count}.ndjson`);
      await writeFile(file, animals(count));
      const { code, stderr } = await onSource('pets', 'import', file);
      if (code !== 0) throw new Error(stderr);
      return file;
    },
    holdAfter: (position) => holdAfter(observer, position),
    async remove() {
      await observer.end();
      await Promise.all([source.remove(), server.remove(), rm(folder, { recursive: true })]);
    },
  };
}

async function holdAfter(observer: pg.Client, position: number): Promise<Hold> {
  // Asked again and again, since a wait for the lock itself would come under the lock timeout of who waits.
  await observer.query(`
    CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN WHILE NOT pg_try_advisory_xact_lock_shared(1) LOOP PERFORM pg_sleep(0.01); END LOOP; RETURN NEW; END $$;
    CREATE TRIGGER hold BEFORE INSERT ON events FOR EACH ROW WHEN (NEW."position" > ${position}) EXECUTE FUNCTION hold();
    SELECT pg_advisory_lock(1)`);
  return {
    reached: () => untilFound(observer, `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`),
    async release() {
      await observer.query('SELECT pg_advisory_unlock(1)');
    },
  };
}

/** Resolves when a query finds something. */
export async function untilFound(observer: pg.Client, query: string): Promise<void> {
  while ((await observer.query(query)).rows.length === 0);
}

/** All that a database holds, by table, and what the rows were written by, so that also a write that changes nothing shows. */
export async function contentOf(observer: pg.Client): Promise<Record<string, unknown[]>> {
  const { rows: tables } = await observer.query<{ name: string }>(
    `SELECT "tablename" AS "name" FROM pg_tables WHERE "schemaname" = 'public' ORDER BY 1`,
  );
  const content: Record<string, unknown[]> = {};
  for (const { name } of tables) {
    content[name] = (
      await observer.query<object>(`SELECT xmin::text AS "written by", * FROM "${name}" AS "rows" ORDER BY "rows"::text`)
    ).rows;
  }
  return content;
}
