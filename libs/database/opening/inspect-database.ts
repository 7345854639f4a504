import { DataSource } from 'typeorm';
import type { SqlRunner } from '../database.js';
import type { DatabaseLocation } from '../database-url.js';
import type { Migration } from '../migration.js';
import { engineOf } from './engines.js';

export interface DatabaseState {
  readonly exists: boolean;
  /** Names of the migrations that have not run yet; all of them where there is no database. */
  readonly pendingMigrations: readonly string[];
  /** Names of the migrations that have run and that this build does not know: those of a newer build. */
  readonly unknownMigrations: readonly string[];
}

/** Looks at a database without creating or changing anything. */
export async function inspectDatabase(location: DatabaseLocation, migrations: readonly Migration[]): Promise<DatabaseState> {
  const applied = await engineOf(location).appliedMigrations();
  const known = migrations.map((migration) => migration.name);
  return {
    exists: applied !== undefined,
    pendingMigrations: applied ? known.filter((name) => !applied.has(name)) : known,
    unknownMigrations: [...(applied ?? [])].filter((name) => !known.includes(name)),
  };
}

/** Looks into a database as it is, also one that was never migrated, on connections that cannot write. */
export async function readDatabase<Result>(location: DatabaseLocation, work: (runner: SqlRunner) => Promise<Result>): Promise<Result> {
  const engine = engineOf(location);
  const source = await new DataSource(engine.readConnection('cli')).initialize();
  try {
    return await work((await engine.open({ write: source, read: source }, 'cli')).reader);
  } finally {
    await source.destroy();
  }
}

/** What a database takes on disk, in bytes. */
export function databaseSize(location: DatabaseLocation): Promise<number> {
  return engineOf(location).sizeInBytes();
}
