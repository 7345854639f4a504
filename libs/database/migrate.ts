import type { DatabaseLocation } from './database-url.js';
import { NewerDatabaseError, UnseenTablesError } from './database.errors.js';
import { engineOf } from './engine-of.js';
import type { Migration } from './migration-class.js';

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

/**
 * Brings a database up to date, creating its tables where there are none. Returns the names of the migrations that ran.
 * @throws NewerDatabaseError when a newer build has migrated it, then or meanwhile.
 * @throws UnseenTablesError when the role that serves does not see what the one that migrates has made.
 */
export async function migrateDatabase(location: DatabaseLocation, migrations: readonly Migration[]): Promise<string[]> {
  const state = await inspectDatabase(location, migrations);
  refuseNewerDatabase(location, state);
  // Most starts, and most commands, have nothing to do and must not wait for the write lock.
  if (state.pendingMigrations.length === 0) return [];
  const ran = await engineOf(location).migrate(migrations);
  const after = await inspectDatabase(location, migrations);
  // A newer build may have held the lock first.
  refuseNewerDatabase(location, after);
  if (after.pendingMigrations.length > 0) throw new UnseenTablesError(location);
  return ran;
}

/** @throws NewerDatabaseError when a newer build has migrated the database. */
export function refuseNewerDatabase(location: DatabaseLocation, state: DatabaseState): void {
  if (state.unknownMigrations.length > 0) throw new NewerDatabaseError(location, state);
}

/** What a database takes on disk, in bytes. */
export function databaseSize(location: DatabaseLocation): Promise<number> {
  return engineOf(location).sizeInBytes();
}
