import { DataSource } from 'typeorm';
import type { SqlRunner } from '../database.js';
import { ApplicationError, cliCommand } from '#libs/observability';
import { describeLocation, type DatabaseLocation } from '../database-url.js';
import type { ClaimOptions, ServiceClaim } from '../engine.js';
import type { Migration } from '../migration.js';
import { PostgresEngine } from '../postgres/postgres-engine.js';
import { render } from '../sql.js';
import { MOVED_TABLE } from '../sqlite/moved-database.js';
import { SqliteEngine } from '../sqlite/sqlite-engine.js';

export interface DatabaseState {
  /** Whether it has a list of migrations. */
  readonly exists: boolean;
  /** Names of the migrations that have not run yet; all of them if there is no database. */
  readonly pendingMigrations: readonly string[];
  /** Names of the migrations that have run and that this build does not know: those of a newer build. */
  readonly unknownMigrations: readonly string[];
  /** The place of its content, if it was transferred there for good. */
  readonly movedTo: string | undefined;
}

/** One location of a kind of database. */
type DatabaseEngine = PostgresEngine | SqliteEngine;

/** Returns the engine for the database of a location. */
export function createEngine(location: DatabaseLocation): DatabaseEngine {
  return location.kind === 'postgres' ? new PostgresEngine(location) : new SqliteEngine(location.path);
}

/** Reads which migrations a database has, without creating or changing anything. */
export async function inspectDatabase(location: DatabaseLocation, migrations: readonly Migration[]): Promise<DatabaseState> {
  const engine = createEngine(location);
  const isMissing = engine instanceof SqliteEngine && engine.isMissing();
  const { exists, applied, movedTo } = isMissing ? NOTHING_STORED : await onReadConnection(engine, readState);
  const known = migrations.map((migration) => migration.name);
  return {
    exists,
    pendingMigrations: known.filter((name) => !applied.includes(name)),
    unknownMigrations: applied.filter((name) => !known.includes(name)),
    movedTo,
  };
}

const NOTHING_STORED = { exists: false, applied: [] as readonly string[], movedTo: undefined };

async function readState(source: DataSource, { dialect }: DatabaseEngine) {
  const read = async (table: string, column: string) => {
    const { text, parameters } = render(dialect.findTable(table), dialect);
    if ((await source.query<object[]>(text, parameters)).length === 0) return undefined;
    const rows = await source.query<{ value: string }[]>(`SELECT "${column}" AS "value" FROM "${table}"`);
    return rows.map(({ value }) => value);
  };
  const applied = await read('migrations', 'name');
  const [movedTo] = (await read(MOVED_TABLE, 'place')) ?? [];
  return { exists: applied !== undefined, applied: applied ?? [], movedTo };
}

/** Runs `work` on a database as it is, also one that was never migrated, on a connection that cannot write. */
export function readDatabase<Result>(location: DatabaseLocation, work: (runner: SqlRunner) => Promise<Result>): Promise<Result> {
  return onReadConnection(createEngine(location), async (source, engine) =>
    work((await engine.open({ write: source, read: source }, 'cli')).reader),
  );
}

async function onReadConnection<Result>(
  engine: DatabaseEngine,
  work: (source: DataSource, engine: DatabaseEngine) => Promise<Result>,
): Promise<Result> {
  const source = await new DataSource(engine.readConnection('cli')).initialize();
  try {
    return await work(source, engine);
  } finally {
    await source.destroy();
  }
}

/**
 * Runs the pending migrations, creating the tables if there are none. Returns the names of the migrations that ran.
 * @throws ApplicationError `service_unavailable` as `assertDatabaseCurrent`, also for what another process does meanwhile, and if the
 *   serving role does not see the tables of the migrating role.
 */
export async function migrateDatabase(location: DatabaseLocation, migrations: readonly Migration[]): Promise<string[]> {
  const state = await inspectDatabase(location, migrations);
  assertDatabaseCurrent(location, state);
  // Most starts and commands have nothing to migrate and must not wait for the write lock.
  if (state.pendingMigrations.length === 0) return [];
  const ran = await createEngine(location).migrate(migrations);
  const after = await inspectDatabase(location, migrations);
  // A newer build may have held the lock first.
  assertDatabaseCurrent(location, after);
  if (after.pendingMigrations.length > 0) {
    throw new ApplicationError(
      'service_unavailable',
      `The database ${describeLocation(location)} was migrated, but the role of DATABASE_URL does not see its tables: give it the ` +
        'search_path of the role of MIGRATION_DATABASE_URL.',
    );
  }
  return ran;
}

/** @throws ApplicationError `service_unavailable` if its content was transferred, or a newer build has migrated the database. */
export function assertDatabaseCurrent(location: DatabaseLocation, { movedTo, unknownMigrations }: DatabaseState): void {
  const database = `The database ${describeLocation(location)} was`;
  if (movedTo !== undefined) {
    const remedy = `by "${cliCommand('db transfer')}": set DATABASE_URL to that one.`;
    throw new ApplicationError('service_unavailable', `${database} moved to ${movedTo} ${remedy}`);
  }
  if (unknownMigrations.length > 0) {
    const newer = `does not know ${unknownMigrations.join(', ')}. Run the newer build.`;
    throw new ApplicationError('service_unavailable', `${database} migrated by a newer build: this one ${newer}`);
  }
}

/**
 * Reserves a database for a service, migrates it and checks that it can be served.
 * @throws Error that says what is in the way, such as another service on the same file.
 */
export async function claimDatabase(
  location: DatabaseLocation,
  migrations: readonly Migration[],
  options: ClaimOptions,
): Promise<ServiceClaim> {
  const engine = createEngine(location);
  let claim: ServiceClaim | undefined;
  try {
    if (engine instanceof SqliteEngine) claim = engine.claim(options);
    await migrateDatabase(location, migrations);
    if (engine instanceof SqliteEngine) await engine.assertUsable();
    return claim ?? { release: () => undefined };
  } catch (error) {
    claim?.release();
    throw engine.explainStartFailure(error);
  }
}
