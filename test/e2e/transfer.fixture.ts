import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { until } from '#libs/testing';
import { createPostgresDatabase, createSqliteDatabase } from '../databases/test-database.fixture.js';
import { finished, launch, type Finished } from './built-service.fixture.js';
import { animals, runHere } from './command-line.fixture.js';

/** A database in a file, one on the server to transfer it to, and the command line on either. */
export type TransferUnderTest = Awaited<ReturnType<typeof openTransfer>>;

interface Hold {
  /** Resolves when somebody waits. */
  readonly reached: () => Promise<void>;
  readonly release: () => Promise<void>;
}

export const PASSWORD = 'a-word-that-nobody-prints';
export const LIST_OF_MIGRATIONS =
  'CREATE TABLE "migrations" ("id" SERIAL PRIMARY KEY, "timestamp" bigint NOT NULL, "name" character varying NOT NULL)';

/** What `db transfer` prints, or `pets import`. */
export function reportOf({ stdout }: { readonly stdout: string }): Readonly<Record<string, unknown>> {
  return JSON.parse(stdout) as Readonly<Record<string, unknown>>;
}

export async function openTransfer() {
  const folder = await mkdtemp(join(tmpdir(), 'adoption-transfer-'));
  const [source, server] = await Promise.all([createSqliteDatabase(), createPostgresDatabase()]);
  const target = new URL(server.url);
  target.password = PASSWORD;
  const observer = new pg.Client({ connectionString: server.url });
  await observer.connect();
  const words = ['db', 'transfer', '--to', target.href];
  const onSource = (...others: string[]): Promise<Finished> => runHere({ DATABASE_URL: source.url }, others);
  const onTarget = (...others: string[]): Promise<Finished> => runHere({ DATABASE_URL: target.href }, others);
  await onSource('db', 'migrate');
  const startTransfer = () => launch('cli', words, { cwd: folder, environment: { DATABASE_URL: source.url } });
  return {
    folder,
    source: source.url,
    target: target.href,
    /** A connection to the target beside everything else. */
    observer,
    onSource,
    onTarget,
    /** Runs `db transfer` in this process. */
    transfer: () => onSource(...words),
    verifyTarget: async () => JSON.parse((await onTarget('events', 'verify')).stdout) as object,
    /** Starts `db transfer` as a process of its own. */
    startTransfer,
    /** Adds that many animals to the source, by import of one file whose name it gives. */
    async addAnimals(count: number): Promise<string> {
      const file = join(folder, `${count}.ndjson`);
      await writeFile(file, animals(count));
      const { code, stderr } = await onSource('pets', 'import', file);
      if (code !== 0) throw new Error(stderr);
      return file;
    },
    /** Makes the target, which must be migrated, wait before it takes an event after this position. */
    holdAfter: (position: number) => holdAfter(observer, position),
    /** Runs `db transfer` in a process that is killed at the n-th statement that defines or changes something; its outcome if it ends before. */
    killAt: async (statement: number) => killAt(await holdAt(observer, statement), observer, startTransfer()),
    async remove() {
      await observer.end();
      await Promise.all([source.remove(), server.remove(), rm(folder, { recursive: true })]);
    },
  };
}

async function killAt(
  { reached, release }: Hold,
  observer: pg.Client,
  running: ChildProcessWithoutNullStreams,
): Promise<Finished | 'killed'> {
  const ended = finished(running);
  const outcome = await Promise.race([reached().then(() => 'killed' as const), ended]);
  running.kill('SIGKILL');
  await ended;
  await release();
  await untilAlone(observer);
  return outcome;
}

/** Makes the target wait at the n-th statement from now on that defines something or changes rows of a table, also one made meanwhile. */
async function holdAt(observer: pg.Client, statement: number): Promise<Hold> {
  await observer.query(`
    DROP SCHEMA IF EXISTS observer CASCADE;
    CREATE SCHEMA observer;
    CREATE SEQUENCE observer.statements;
    CREATE FUNCTION observer.count() RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      IF nextval('observer.statements') <> ${statement} THEN RETURN; END IF;
      WHILE NOT pg_try_advisory_xact_lock_shared(1) LOOP PERFORM pg_sleep(0.01); END LOOP;
    END $$;
    CREATE FUNCTION observer.change() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM observer.count(); RETURN NULL; END $$;
    CREATE FUNCTION observer.definition() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM observer.count(); END $$;
    CREATE FUNCTION observer.watch(entry regclass) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      EXECUTE format('CREATE TRIGGER observed BEFORE INSERT OR UPDATE OR DELETE ON %s FOR EACH STATEMENT EXECUTE FUNCTION observer.change()', entry);
    END $$;
    CREATE FUNCTION observer.made() RETURNS event_trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM observer.watch(objid) FROM pg_event_trigger_ddl_commands() WHERE object_type = 'table' AND schema_name = 'public';
    END $$;
    SELECT observer.watch(oid) FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace;
    CREATE EVENT TRIGGER observed_definition ON ddl_command_start EXECUTE FUNCTION observer.definition();
    CREATE EVENT TRIGGER observed_table ON ddl_command_end WHEN TAG IN ('CREATE TABLE') EXECUTE FUNCTION observer.made();
    ALTER SEQUENCE observer.statements RESTART;
    SELECT pg_advisory_lock(1)`);
  return heldBy(observer);
}

async function holdAfter(observer: pg.Client, position: number): Promise<Hold> {
  // Asked again and again, since a wait for the lock itself would come under the lock timeout of who waits.
  await observer.query(`
    CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN WHILE NOT pg_try_advisory_xact_lock_shared(1) LOOP PERFORM pg_sleep(0.01); END LOOP; RETURN NEW; END $$;
    CREATE TRIGGER hold BEFORE INSERT ON events FOR EACH ROW WHEN (NEW."position" > ${position}) EXECUTE FUNCTION hold();
    SELECT pg_advisory_lock(1)`);
  return heldBy(observer);
}

function heldBy(observer: pg.Client): Hold {
  return {
    reached: () => untilFound(observer, `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'`),
    async release() {
      await observer.query('SELECT pg_advisory_unlock(1)');
    },
  };
}

/** Resolves when nobody else is connected to the target any more: who was killed has left nothing running there. */
async function untilAlone(observer: pg.Client): Promise<void> {
  await untilFound(
    observer,
    `SELECT 1 WHERE NOT EXISTS (SELECT FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database())`,
  );
}

/** Resolves when a query finds something. */
export async function untilFound(observer: pg.Client, query: string): Promise<void> {
  await until(async () => (await observer.query(query)).rows.length > 0);
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
