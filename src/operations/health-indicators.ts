import { Inject, Injectable } from '@nestjs/common';
import { Clock, TOLERATED_SKEW_MILLISECONDS, Health, type HealthIndicatorResult } from '#libs/observability';
import { Database, DatabaseUnavailableError, describeSkew, type Migration, sql } from '#libs/database';
import { ReadModels } from '#libs/event-sourcing';

const MAX_SKEW_MILLISECONDS = 30_000;

export const MIGRATIONS = Symbol('all migrations of this build');

/** Registers the parts that every request needs. */
@Injectable()
export class HealthIndicators {
  constructor(
    health: Health,
    database: Database,
    clock: Clock,
    readModels: ReadModels,
    @Inject(MIGRATIONS) migrations: readonly Migration[],
  ) {
    health.register({ name: 'database', check: () => checkDatabase(database) });
    health.register({ name: 'migrations', check: () => checkMigrations(database, migrations) });
    health.register({ name: 'projections', check: () => checkProjections(readModels) });
    health.register({ name: 'clock', check: () => checkClock(clock) });
  }
}

/** Whether the database answers and is undamaged. With a full disk it still answers reads. */
async function checkDatabase(database: Database): Promise<HealthIndicatorResult> {
  await database.reader.query(sql`SELECT 1`).catch((error: unknown) => {
    // An operator sees the cause, a client does not.
    throw error instanceof DatabaseUnavailableError ? error.cause : error;
  });
  const { fault } = database;
  if (!fault) return { state: 'ready' };
  return { state: fault.kind === 'full' ? 'degraded' : 'unavailable', detail: fault.reason };
}

/** Whether the database has every table this build needs. */
async function checkMigrations(database: Database, migrations: readonly Migration[]): Promise<HealthIndicatorResult> {
  const rows = await database.reader.query<{ name: string }>(sql`SELECT "name" FROM "migrations"`);
  const applied = new Set(rows.map(({ name }) => name));
  const pending = migrations.filter(({ name }) => !applied.has(name)).length;
  return pending === 0 ? { state: 'ready' } : { state: 'unavailable', detail: `${pending} migrations have not run` };
}

/** Whether the tables of the projections are built. A read lets them catch up with events that another build appended. */
async function checkProjections(readModels: ReadModels): Promise<HealthIndicatorResult> {
  const missing = (await readModels.statuses()).filter(({ used, generation }) => used && generation === 0).map(({ name }) => name);
  return missing.length === 0 ? { state: 'ready' } : { state: 'unavailable', detail: `not built yet: ${missing.join(', ')}` };
}

/** Whether the machine's clock agrees with the database's. If not, logs, TLS and the headers of responses are wrong. */
function checkClock(clock: Clock): HealthIndicatorResult {
  const skew = Math.abs(clock.skew);
  if (skew <= TOLERATED_SKEW_MILLISECONDS) return { state: 'ready' };
  return { state: skew > MAX_SKEW_MILLISECONDS ? 'unavailable' : 'degraded', detail: describeSkew(clock.skew) };
}
