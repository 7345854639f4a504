import { stat } from 'node:fs/promises';
import { DataSource, type MigrationInterface } from 'typeorm';
import type { DatabaseLocation } from './database-url.js';
import { readConnectionOptions, writeConnectionOptions } from './sqlite/sqlite-options.js';

/** A migration class; its name ends in the 13-digit time it was written at, which orders the list. */
export type Migration = new () => MigrationInterface;

export interface DatabaseState {
  readonly exists: boolean;
  /** Names of the migrations that have not run yet; all of them where there is no database. */
  readonly pendingMigrations: readonly string[];
}

/** Looks at a database without creating or changing anything. */
export async function inspectDatabase(location: DatabaseLocation, migrations: readonly Migration[]): Promise<DatabaseState> {
  const all = migrations.map((migration) => migration.name);
  const exists = await stat(location.path).then(
    (file) => file.size > 0,
    () => false,
  );
  if (!exists) return { exists, pendingMigrations: all };
  const source = await new DataSource(readConnectionOptions(location.path, 'cli')).initialize();
  try {
    const applied = await appliedMigrations(source);
    return { exists, pendingMigrations: all.filter((name) => !applied.has(name)) };
  } finally {
    await source.destroy();
  }
}

/** Brings a database up to date, creating it where there is none. Returns the names of the migrations that ran. */
export async function migrateDatabase(location: DatabaseLocation, migrations: readonly Migration[]): Promise<string[]> {
  const { pendingMigrations } = await inspectDatabase(location, migrations);
  // Most starts, and most commands, have nothing to do and must not wait for the write lock.
  if (pendingMigrations.length === 0) return [];
  const options = { ...writeConnectionOptions(location.path, 'cli'), migrations: [...migrations] };
  const source = await new DataSource(options).initialize();
  try {
    return await runMigrations(source);
  } finally {
    await source.destroy();
  }
}

/** Runs what is pending under the write lock, so that of several starting processes exactly one does it. */
async function runMigrations(source: DataSource): Promise<string[]> {
  await source.query('BEGIN IMMEDIATE');
  try {
    const applied = await source.runMigrations({ transaction: 'none' });
    await source.query('COMMIT');
    return applied.map((migration) => migration.name);
  } catch (error) {
    await source.query('ROLLBACK');
    throw error;
  }
}

async function appliedMigrations(source: DataSource): Promise<Set<string>> {
  const tables = await source.query<object[]>(`SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'migrations'`);
  if (tables.length === 0) return new Set();
  const rows = await source.query<{ name: string }[]>('SELECT "name" FROM "migrations"');
  return new Set(rows.map((migration) => migration.name));
}
