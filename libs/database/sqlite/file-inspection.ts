import { DataSource } from 'typeorm';
import type { Migration } from '../migration.js';
import { sqliteCode } from './sqlite-errors.js';
import { writeConnectionOptions } from './sqlite-options.js';

/** A table, index or trigger. */
interface SchemaEntry {
  readonly type: string;
  readonly name: string;
  readonly columns: string | null;
}

/**
 * Looks at a migrated database file as far as every start can afford: it reads no rows.
 * @throws Error when the file cannot be written, or lacks what the migrations make.
 */
export async function refuseUnusableFile(path: string, migrations: readonly Migration[]): Promise<void> {
  const source = await new DataSource(writeConnectionOptions(path, 'cli')).initialize();
  try {
    await refuseReadOnly(source);
    await refuseOtherSchema(source, path, migrations);
  } finally {
    await source.destroy();
  }
}

/** SQLite opens a file that it may only read, and even begins a transaction on it, without a word: only a write fails. */
async function refuseReadOnly(source: DataSource): Promise<void> {
  try {
    await source.query('BEGIN IMMEDIATE');
    await source.query('PRAGMA user_version = 1').finally(() => source.query('ROLLBACK'));
  } catch (error) {
    // Whoever writes just now has shown that it can be written.
    if (!sqliteCode(error)?.startsWith('SQLITE_BUSY')) throw error;
  }
}

async function refuseOtherSchema(source: DataSource, path: string, migrations: readonly Migration[]): Promise<void> {
  const found = new Map((await readSchema(source)).map(({ name, columns }) => [name, columns]));
  const wrong = (await expectedSchema(migrations)).filter(({ name, columns }) => found.get(name) !== columns);
  if (wrong.length === 0) return;
  const names = wrong.map(({ type, name }) => `${type} ${name}`).join(', ');
  throw new Error(`${path} is not a database of this service, or it is damaged: ${names} is missing or not as the migrations make it`);
}

/** What the migrations make of an empty database. */
async function expectedSchema(migrations: readonly Migration[]): Promise<SchemaEntry[]> {
  const source = await new DataSource({ ...writeConnectionOptions(':memory:', 'cli'), migrations: [...migrations] }).initialize();
  try {
    await source.runMigrations({ transaction: 'none' });
    return await readSchema(source);
  } finally {
    await source.destroy();
  }
}

/** By columns, not by the text of the statements, whose spaces a later version of a migration may set otherwise. */
async function readSchema(source: DataSource): Promise<SchemaEntry[]> {
  return source.query<SchemaEntry[]>(
    `SELECT "type", "name",
       (SELECT group_concat("name" || ' ' || "type", ', ') FROM pragma_table_info("entries"."name")) AS "columns"
     FROM "sqlite_master" AS "entries" WHERE "name" NOT LIKE 'sqlite!_%' ESCAPE '!'`,
  );
}
