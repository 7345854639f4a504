import type { DatabaseLocation } from './database-url.js';
import type { ServiceClaim } from './engine.js';
import { engineOf } from './engine-of.js';
import { migrateDatabase } from './migrate.js';
import type { Migration } from './migration-class.js';

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
