import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
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

/** A new file in a folder of its own. */
export async function createSqliteDatabase(): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'adoption-database-'));
  const remove = closeAtEnd(() => rm(folder, { recursive: true, force: true }));
  return { url: `sqlite:${join(folder, 'adoption.sqlite')}`, remove };
}

/** A new database on the PostgreSQL server of the tests. */
export async function createPostgresDatabase(): Promise<TestDatabase> {
  const name = `${databasePrefix(tmpdir())}${randomUUID().replaceAll('-', '')}`;
  const url = new URL(postgresUrl);
  await onServer(`CREATE DATABASE "${name}" TEMPLATE template0`);
  url.pathname = `/${name}`;
  return { url: url.href, remove: closeAtEnd(() => onServer(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`)) };
}

async function onServer(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: postgresUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
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
  const connection = new SqliteConnection(url.slice('sqlite:'.length));
  try {
    return work(connection);
  } finally {
    connection.close();
  }
}
