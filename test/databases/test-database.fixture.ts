import { randomUUID } from 'node:crypto';
import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import SqliteConnection from 'better-sqlite3';
import pg from 'pg';
import { closeAtEnd } from '../cleanup/close-at-end.js';
import { databasePrefix, postgresUrl } from './servers.mjs';

/** A database of a test's own, empty at first. */
export interface TestDatabase {
  /** As `DATABASE_URL` takes it. */
  readonly url: string;
  /** Removes it, also while connections to it are open. */
  remove(): Promise<void>;
}

/** Makes and removes databases: a connection of its own for each of them would cost more than the database. */
const server = new pg.Pool({ connectionString: postgresUrl, allowExitOnIdle: true });
server.on('error', () => undefined);

/** A new file in a folder of its own: empty, or a copy of one that nobody has open. */
export async function createSqliteDatabase(original?: string): Promise<TestDatabase> {
  return removedAtEnd(await makeSqliteDatabase(original));
}

/** A new database on the PostgreSQL server of the tests: empty, or a copy of one to which nobody is connected. */
export async function createPostgresDatabase(original?: string): Promise<TestDatabase> {
  return removedAtEnd(await makePostgresDatabase(original));
}

/** One that stays until the run is over, however many tests are. */
export function createLastingDatabase(kind: 'sqlite' | 'postgres'): Promise<TestDatabase> {
  return kind === 'sqlite' ? makeSqliteDatabase() : makePostgresDatabase();
}

function removedAtEnd({ url, remove }: TestDatabase): TestDatabase {
  return { url, remove: closeAtEnd(remove) };
}

async function makeSqliteDatabase(original?: string): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'adoption-database-'));
  const file = join(folder, 'adoption.sqlite');
  if (original !== undefined) await copyFile(fileOf(original), file);
  return { url: `sqlite:${file}`, remove: () => rm(folder, { recursive: true, force: true }) };
}

async function makePostgresDatabase(original?: string): Promise<TestDatabase> {
  const name = `${databasePrefix(tmpdir())}${randomUUID().replaceAll('-', '')}`;
  const url = new URL(postgresUrl);
  const template = original === undefined ? 'template0' : getName(original);
  await server.query(`CREATE DATABASE "${name}" TEMPLATE "${template}"${await (strategy ??= askForStrategy())}`);
  url.pathname = `/${name}`;
  return { url: url.href, remove: () => server.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`).then(() => undefined) };
}

let strategy: Promise<string> | undefined;

/** By files, which is all that version 14 knows. By the log, which is usual since, a copy takes six times as long. */
async function askForStrategy(): Promise<string> {
  const { rows } = await server.query<{ version: number }>(`SELECT current_setting('server_version_num')::int AS "version"`);
  return rows.some(({ version }) => version >= 150_000) ? ' STRATEGY FILE_COPY' : '';
}

function getName(url: string): string {
  return new URL(url).pathname.slice(1);
}

function fileOf(url: string): string {
  return url.slice('sqlite:'.length);
}

/** Runs statements that the service never would, with the log's own protection off. */
export async function tamperWith(url: string, statements: string): Promise<void> {
  if (url.startsWith('sqlite:')) withoutTriggers(url, statements);
  else await execute(url, `ALTER TABLE IF EXISTS "events" DISABLE TRIGGER USER; ${statements}`);
}

/** Runs statements of any kind on a connection of its own. */
export async function execute(url: string, statements: string): Promise<void> {
  if (url.startsWith('sqlite:')) {
    onFile(url, (connection) => connection.exec(statements));
    return;
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statements);
  } finally {
    await client.end();
  }
}

/** What a query gives, read on a connection of its own. */
export async function rowsOf(url: string, query: string): Promise<readonly unknown[]> {
  if (url.startsWith('sqlite:')) return onFile(url, (connection) => connection.prepare(query).all());
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<object>(query)).rows;
  } finally {
    await client.end();
  }
}

/** A service does not start on a file without its triggers, so they are made again. */
function withoutTriggers(url: string, statements: string): void {
  onFile(url, (connection) => {
    const triggers = connection.prepare(`SELECT "name", "sql" FROM "sqlite_master" WHERE "type" = 'trigger'`).all() as Trigger[];
    for (const { name } of triggers) connection.exec(`DROP TRIGGER "${name}"`);
    connection.exec(statements);
    for (const { sql } of triggers) connection.exec(sql);
  });
}

interface Trigger {
  readonly name: string;
  readonly sql: string;
}

function onFile<Result>(url: string, work: (connection: SqliteConnection.Database) => Result): Result {
  const connection = new SqliteConnection(fileOf(url));
  try {
    return work(connection);
  } finally {
    connection.close();
  }
}
