import type { DatabaseLocation } from '../database-url.js';
import { NewerDatabaseError, UnseenTablesError } from '../database.errors.js';
import type { ServiceClaim } from '../engine.js';
import type { Migration } from '../migration.js';
import { engineOf } from './engines.js';
import { inspectDatabase, type DatabaseState } from './inspect-database.js';

/**
 * Brings a database up to date, creating its tables where there are none. Returns the names of the migrations that ran.
 * @throws NewerDatabaseError when a newer build has migrated it, then or meanwhile.
 * @throws UnseenTablesError when the role that serves does not see what the one that migrates has made.
 */
export async function migrateDatabase(location: DatabaseLocation, migrations: readonly Migration[]): Promise<string[]> {
  const state = await inspectDatabase(location, migrations);
  assertDatabaseNotNewer(location, state);
  // Most starts, and most commands, have nothing to do and must not wait for the write lock.
  if (state.pendingMigrations.length === 0) return [];
  const ran = await engineOf(location).migrate(migrations);
  const after = await inspectDatabase(location, migrations);
  // A newer build may have held the lock first.
  assertDatabaseNotNewer(location, after);
  if (after.pendingMigrations.length > 0) throw new UnseenTablesError(location);
  return ran;
}

/** @throws NewerDatabaseError when a newer build has migrated the database. */
export function assertDatabaseNotNewer(location: DatabaseLocation, state: DatabaseState): void {
  if (state.unknownMigrations.length > 0) throw new NewerDatabaseError(location, state);
}

/**
 * What a service does before it opens its database: claims it, brings it up to date and makes sure that it can be served.
 * @throws Error that says what stands in the way, such as another service on the same file.
 */
export async function claimDatabase(location: DatabaseLocation, migrations: readonly Migration[]): Promise<ServiceClaim> {
  const engine = engineOf(location);
  let claim: ServiceClaim | undefined;
  try {
    claim = engine.claim();
    await migrateDatabase(location, migrations);
    await engine.refuseUnusable(migrations);
    return claim;
  } catch (error) {
    claim?.release();
    throw engine.explainStartFailure(error);
  }
}
