import { execFile, type ChildProcess } from 'node:child_process';
import { createRequire } from 'node:module';
import { Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { StartupError } from '#libs/observability';
import type { Migration } from '../engine.js';
import { connectionOptions, sqliteCode } from './sqlite-connection.js';

/** A table, index or trigger. */
interface SchemaEntry {
  readonly type: string;
  readonly name: string;
  readonly columns: string | null;
}

/**
 * Checks a migrated database file without reading rows.
 * @throws StartupError if the file cannot be written, or its schema is not the one that the migrations make.
 */
export async function assertUsableFile(path: string, migrations: readonly Migration[]): Promise<void> {
  const source = await new DataSource(connectionOptions(path, 'cli', 'write')).initialize();
  try {
    await assertWritable(source);
    const found = new Map((await readSchema(source)).map(({ name, columns }) => [name, columns]));
    const wrong = (await expectedSchema(migrations)).filter(({ name, columns }) => found.get(name) !== columns);
    if (wrong.length === 0) return;
    const names = wrong.map(({ type, name }) => `${type} ${name}`).join(', ');
    throw new StartupError(
      `${path} is not a database of this service, or it is damaged: ${names} is missing or not as the migrations make it`,
    );
  } finally {
    await source.destroy();
  }
}

/** SQLite opens a read-only file, and even begins a transaction on it, without an error: only a write fails. */
async function assertWritable(source: DataSource): Promise<void> {
  try {
    await source.query('BEGIN IMMEDIATE');
    await source.query('PRAGMA user_version = 1').finally(() => source.query('ROLLBACK'));
  } catch (error) {
    // Another process that writes just now has shown that the file can be written.
    if (!sqliteCode(error)?.startsWith('SQLITE_BUSY')) throw error;
  }
}

/** Reads the schema that the migrations make in an empty database. */
async function expectedSchema(migrations: readonly Migration[]): Promise<SchemaEntry[]> {
  const source = await new DataSource({ ...connectionOptions(':memory:', 'cli', 'write'), migrations: [...migrations] }).initialize();
  try {
    await source.runMigrations({ transaction: 'none' });
    return await readSchema(source);
  } finally {
    await source.destroy();
  }
}

/** By columns, not by the text of the statements, whose spaces may differ. */
async function readSchema(source: DataSource): Promise<SchemaEntry[]> {
  return source.query<SchemaEntry[]>(
    `SELECT "type", "name",
       (SELECT group_concat("name" || ' ' || "type", ', ') FROM pragma_table_info("entries"."name")) AS "columns"
     FROM "sqlite_master" AS "entries" WHERE "name" NOT LIKE 'sqlite!_%' ESCAPE '!'`,
  );
}

const DELAY_AFTER_START_MILLISECONDS = 2_000;

/** Prints `ok` or the first damage. */
const SCRIPT = `
const [driver, file] = process.argv.slice(1);
const Connection = require(driver);
let finding;
try {
  finding = new Connection(file, { readonly: true, fileMustExist: true }).pragma('quick_check(1)', { simple: true });
} catch (error) {
  if (!/^SQLITE_(CORRUPT|NOTADB)/.test(error.code)) throw error;
  finding = error.message;
}
process.stdout.write(String(finding));
`;

/**
 * Reads the whole database file once, soon after a start. In a process of its own: it takes seconds for millions of events, in which
 * SQLite blocks the thread, and a worker thread could not be ended meanwhile.
 * @param onDamage called with the finding if the file is damaged
 * @returns a function that ends it
 */
export function scheduleFileCheck(path: string, onDamage: (finding: string) => void): () => void {
  let child: ChildProcess | undefined;
  const timer = setTimeout(() => {
    const driver = createRequire(import.meta.url).resolve('better-sqlite3');
    child = execFile(process.execPath, ['--eval', SCRIPT, driver, path], { env: {} }, (error, finding) => {
      if (child?.killed) return;
      if (error) new Logger('Database').warn(`The database file could not be checked: ${error.message}`);
      else if (finding !== 'ok') onDamage(finding);
    });
    child.unref();
  }, DELAY_AFTER_START_MILLISECONDS).unref();
  return () => {
    clearTimeout(timer);
    child?.kill('SIGKILL');
  };
}
