import type { INestApplicationContext } from '@nestjs/common';
import { UsageError, withProgress, type Progress } from '#libs/cli';
import {
  assertDatabaseCurrent,
  Database,
  describeLocation,
  identifier,
  inspectDatabase,
  listTables,
  markMoved,
  parseDatabaseUrl,
  readDatabase,
  readTable,
  sql,
  type DatabaseLocation,
  type Migration,
  type SqlRunner,
  type Table,
  type TableRow,
  type WriteTransaction,
} from '#libs/database';
import { ApplicationError, cliCommand } from '#libs/observability';
import { findDerivedTables, newestPosition, ProjectionCatalog, ProjectionRebuilder, readPosition } from '#libs/event-sourcing';
import type { Configuration } from '../../config/index.js';
import { toOpeningError, type OperationsCliContext, type ServiceAccess } from './service-access.js';
import { verify } from './verification.js';

/** Few enough rows for the memory, many enough to make the cost of a statement negligible. */
const ROWS_IN_PAGE = 2_000;
const LOG = 'events';
/** Migrations and running instances belong to one database. */
const NOT_COPIED = ['migrations', 'process_leases'];

/**
 * Transfers the SQLite database of the configuration to a PostgreSQL database and prints a report. Holds the source's write lock to the end,
 * so that neither side changes.
 */
export async function runTransfer(context: OperationsCliContext, to: string): Promise<void> {
  const beganAt = performance.now();
  assertPostgres(to);
  const service = await context.service();
  if (service.configuration().database.kind !== 'sqlite') {
    throw new ApplicationError('invalid_request', 'Only an SQLite database is transferred; DATABASE_URL names a PostgreSQL one already.');
  }
  const configuration = service.configurationOn(to);
  const source = await context.get(Database);
  const report = await source.transaction((held) => transfer(held, service, configuration));
  const seconds = Math.round(performance.now() - beganAt) / 1_000;
  context.print({ target: describeLocation(configuration.database), ...report, seconds });
}

function assertPostgres(url: string): void {
  let location: DatabaseLocation;
  try {
    location = parseDatabaseUrl(url);
  } catch (error) {
    throw new UsageError(`--to ${error instanceof Error ? error.message : String(error)}.`);
  }
  if (location.kind === 'postgres') return;
  throw new UsageError('--to must name a PostgreSQL database, such as postgres://USER:PASSWORD@HOST:5432/DATABASE.');
}

/**
 * Copies all tables as they are stored in one transaction, builds the projections from the log, compares both sides, and marks the source as
 * moved, in its transaction. An interrupted copy leaves nothing behind; after a complete one, the next run begins with the projections.
 */
async function transfer(source: WriteTransaction, service: ServiceAccess, configuration: Configuration) {
  const location = configuration.database;
  await assertTransferable(location, service.modules.migrations);
  const isDerived = await findDerivedTables(source);
  const tables = (await listTables(source)).filter(({ name }) => !NOT_COPIED.includes(name) && !isDerived(name));
  const application = await service.openOn(configuration);
  const target = application.get(Database, { strict: false });
  const log = tables.filter(({ name }) => name === LOG);
  const isEmpty = (await readPosition(target.reader, newestPosition)) === 0n;
  if (isEmpty) {
    await withProgress('copying', (onProgress) =>
      target.transaction((transaction) => copyTables(source, transaction, { tables, onProgress })),
    );
  } else if ((await findDifferences(source, target.reader, log)).length > 0) {
    throw new ApplicationError(
      'invalid_parameter',
      `${describeLocation(location)} holds another log: --to must name an empty database. Nothing was changed there.`,
    );
  }
  await buildProjections(application);
  const { events, problems } = await verify(application);
  const differences = [...(await findDifferences(source, target.reader, tables)), ...problems];
  if (differences.length > 0) {
    throw new ApplicationError('internal_error', `The target differs from the source, do not use it: ${differences.join('; ')}.`);
  }
  await markMoved(source, describeLocation(location));
  return { events, copied: isEmpty ? events : 0n };
}

/**
 * Checks that a database is empty or one of this service, and changes nothing there.
 * @throws ApplicationError `invalid_parameter` if it holds anything else, `service_unavailable` if it cannot be opened
 */
async function assertTransferable(location: DatabaseLocation, migrations: readonly Migration[]): Promise<void> {
  const failure = (reason: string) =>
    new ApplicationError('invalid_parameter', `${describeLocation(location)} ${reason} Nothing was changed there.`);
  const inspect = async () => ({ ...(await inspectDatabase(location, migrations)), tables: await readDatabase(location, listTables) });
  const { tables, ...state } = await inspect().catch((error: unknown) => {
    throw toOpeningError(location, error);
  });
  if (state.pendingMigrations.length === migrations.length) {
    // A build that was killed before its first migration has left an empty list of them.
    const isEmpty = state.unknownMigrations.length === 0 && tables.every(({ name }) => name === 'migrations');
    if (!isEmpty) throw failure('holds tables that are not of this service: --to must name an empty database.');
    return;
  }
  assertDatabaseCurrent(location, state);
  if (state.pendingMigrations.length > 0) throw failure(`is not up to date: run "${cliCommand('db migrate')}" on it first.`);
}

/** Replaces the target's rows with the source's. Its log is empty, and the serving role may delete nothing there. */
async function copyTables(
  source: SqlRunner,
  target: WriteTransaction,
  { tables, onProgress }: { readonly tables: readonly Table[]; readonly onProgress: Progress },
): Promise<void> {
  const total = await countRows(source, tables);
  let copied = 0n;
  for (const table of tables) {
    if (table.name !== LOG) await target.query(sql`DELETE FROM ${identifier(table.name)}`);
    for await (const rows of readTable(source, table, ROWS_IN_PAGE)) {
      const insert = { table: identifier(table.name), columns: table.columns, rows };
      // Each is waited for, so that a large table is not held in memory.
      for (const statement of target.dialect.insertStatements(insert)) await target.query(statement);
      onProgress((copied += BigInt(rows.length)), total);
    }
  }
}

async function buildProjections(application: INestApplicationContext): Promise<void> {
  const rebuilder = application.get(ProjectionRebuilder, { strict: false });
  for (const { name } of application.get(ProjectionCatalog, { strict: false }).all()) {
    await withProgress(`building ${name}`, (onProgress) => rebuilder.rebuild(name, onProgress));
  }
}

/** Returns one sentence for each table whose rows differ between both sides. */
async function findDifferences(source: SqlRunner, target: SqlRunner, tables: readonly Table[]): Promise<string[]> {
  const total = await countRows(source, tables);
  return withProgress('comparing', async (onProgress) => {
    let compared = 0n;
    const differences: string[] = [];
    for (const table of tables) {
      const others = readTable(target, table, ROWS_IN_PAGE);
      let isEqual = true;
      for await (const rows of readTable(source, table, ROWS_IN_PAGE)) {
        const other: IteratorResult<TableRow[], undefined> = await others.next();
        isEqual = other.done !== true && toComparableText(rows) === toComparableText(other.value);
        if (!isEqual) break;
        onProgress((compared += BigInt(rows.length)), total);
      }
      if (!isEqual || !(await others.next()).done) differences.push(`table ${table.name} differs`);
    }
    return differences;
  });
}

async function countRows(runner: SqlRunner, tables: readonly Table[]): Promise<bigint> {
  let total = 0n;
  for (const { name } of tables) {
    const [counted] = await runner.query<{ rows: bigint | string }>(sql`SELECT count(*) AS "rows" FROM ${identifier(name)}`);
    total += BigInt(counted?.rows ?? 0);
  }
  return total;
}

/** Serializes rows so that those of two databases can be compared: their drivers return an int64 as bigint or as text. */
function toComparableText(rows: readonly TableRow[]): string {
  return JSON.stringify(rows.map((row) => row.map((value) => (value === null ? null : String(value)))));
}
