import { isDeepStrictEqual } from 'node:util';
import type { INestApplicationContext } from '@nestjs/common';
import { duration, fields, UsageError, withProgress, type Progress } from '#libs/cli';
import {
  assertDatabaseCurrent,
  Database,
  describeLocation,
  inspectDatabase,
  listTables,
  markMoved,
  parseDatabaseUrl,
  readDatabase,
  sql,
  type DatabaseLocation,
  type Migration,
  type SqlRunner,
  type WriteTransaction,
  type Table,
} from '#libs/database';
import { ApplicationError, cliCommand } from '#libs/observability';
import {
  copyStoredEvents,
  lastStoredPosition,
  readStoredEvents,
  ProjectionCatalog,
  ProjectionRebuilder,
  ProjectionStatuses,
} from '#libs/event-sourcing';
import type { Configuration } from '../../config/index.js';
import { findDifferingTables, listPlainTables, replaceTables, ROWS_IN_PAGE } from './plain-tables.js';
import { toOpeningError, type OperationsCliContext, type ServiceAccess } from './service-access.js';
import { verify } from './verification.js';

/** How one log relates to another one. */
interface LogComparison {
  /** `beginning`: the other log continues after its end; `longer`: it continues after the end of the other log. */
  readonly outcome: 'equal' | 'beginning' | 'longer' | 'different';
  /** How many events, from the first, are equal in every column. */
  readonly equalEvents: bigint;
  /** The position of the last equal event, 0 if there is none. */
  readonly equalUpTo: bigint;
}

const EMPTY: LogComparison = { outcome: 'beginning', equalEvents: 0n, equalUpTo: 0n };

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
  const target = describeLocation(configuration.database);
  const source = await context.get(Database);
  const { wasEqual, ...report } = await source.transaction((held) => transfer(held, service, configuration));
  if (wasEqual) context.note(`${target} equals the source already; nothing was changed there.`);
  context.print({ target, ...report, seconds: Math.round(performance.now() - beganAt) / 1_000 }, transferFields);
}

const transferFields = fields<{ target: string; events: bigint; copied: bigint; seconds: number }>((report) => ({
  target: report.target,
  events: report.events,
  'copied now': report.copied,
  took: duration(report.seconds * 1_000),
}));

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
 * Makes the database of the configuration equal to the source: the log as it is stored, the plain tables, and projections built from the log.
 * After an interruption it continues at the end of the target's log. At its end the source is marked as moved, in its transaction.
 */
async function transfer(source: WriteTransaction, service: ServiceAccess, configuration: Configuration) {
  const tables = await listPlainTables(source);
  const { outcome, equalEvents, equalUpTo } = await withProgress('comparing', (onProgress) =>
    inspectTarget(configuration.database, service.modules.migrations, { source, onProgress }),
  );
  const application = await service.openOn(configuration);
  if (outcome === 'equal' && (await findDifferences(source, application, tables)).length === 0) {
    await markMoved(source, describeLocation(configuration.database));
    return { events: equalEvents, copied: 0n, wasEqual: true };
  }
  const target = application.get(Database, { strict: false });
  const copied = await withProgress('copying', (onProgress) => copyLog(source, target, { after: equalUpTo, onProgress }));
  const rebuilder = application.get(ProjectionRebuilder, { strict: false });
  for (const { name } of application.get(ProjectionCatalog, { strict: false }).all()) {
    await withProgress(`building ${name}`, (onProgress) => rebuilder.rebuild(name, onProgress));
  }
  await replaceTables(source, target, tables);
  const problems = await findDifferences(source, application, tables);
  if (problems.length === 0) {
    await markMoved(source, describeLocation(configuration.database));
    return { events: equalEvents + copied, copied, wasEqual: false };
  }
  throw new ApplicationError('internal_error', `The target differs from the source, do not use it: ${problems.join('; ')}.`);
}

/**
 * Checks whether a transfer into a database can begin or continue, and changes nothing there.
 * @returns how its log compares to the source's: `equal` or `beginning`
 * @throws ApplicationError `invalid_parameter` if the database holds anything else, `service_unavailable` if it cannot be opened
 */
async function inspectTarget(
  location: DatabaseLocation,
  migrations: readonly Migration[],
  { source, onProgress }: { readonly source: SqlRunner; readonly onProgress: Progress },
): Promise<LogComparison> {
  const failure = (reason: string) =>
    new ApplicationError('invalid_parameter', `${describeLocation(location)} ${reason} Nothing was changed there.`);
  const content = await readDatabase(location, inspectContent).catch((error: unknown) => {
    throw toOpeningError(location, error);
  });
  if (content === 'nothing') return EMPTY;
  if (content === 'foreign') throw failure('holds tables that are not of this service: --to must name an empty database.');
  const state = await inspectDatabase(location, migrations);
  assertDatabaseCurrent(location, state);
  if (state.pendingMigrations.length > 0) throw failure(`is not up to date: run "${cliCommand('db migrate')}" on it first.`);
  const comparison = await readDatabase(location, (target) => compareLogs(target, source, onProgress));
  const after = `position ${comparison.equalUpTo}`;
  if (comparison.outcome === 'different') throw failure(`holds another log: it differs after ${after}. --to must name an empty database.`);
  if (comparison.outcome === 'longer') throw failure(`holds a longer log: it continues after ${after}, the end of the source log.`);
  return comparison;
}

/**
 * Classifies a database by its tables. The log and the list of migrations are made in one transaction; an empty list without a log was left
 * by a build that was killed before that transaction.
 */
async function inspectContent(target: SqlRunner): Promise<'nothing' | 'ours' | 'foreign'> {
  const tables = await listTables(target);
  if (tables.length === 0) return 'nothing';
  const has = (name: string, columns: readonly string[]) =>
    tables.some((table) => table.name === name && columns.every((column) => table.columns.includes(column)));
  if (!has('migrations', ['id', 'timestamp', 'name'])) return 'foreign';
  if (tables.length === 1) return (await target.query(sql`SELECT 1 FROM "migrations" LIMIT 1`)).length === 0 ? 'nothing' : 'foreign';
  return has('events', ['position', 'stream_id', 'stream_version', 'recorded_at']) ? 'ours' : 'foreign';
}

/** Compares two logs event by event, as they are stored. */
async function compareLogs(log: SqlRunner, other: SqlRunner, onProgress: Progress): Promise<LogComparison> {
  const total = await lastStoredPosition(log);
  let equalEvents = 0n;
  let equalUpTo = 0n;
  for (;;) {
    const page = { after: equalUpTo, limit: ROWS_IN_PAGE };
    const [found, expected] = await Promise.all([readStoredEvents(log, page), readStoredEvents(other, page)]);
    const different = found.findIndex((event, index) => !isDeepStrictEqual(event, expected[index]));
    const equal = different < 0 ? found : found.slice(0, different);
    equalEvents += BigInt(equal.length);
    equalUpTo = equal.at(-1)?.position ?? equalUpTo;
    if (different >= 0) return { outcome: different < expected.length ? 'different' : 'longer', equalEvents, equalUpTo };
    if (found.length < expected.length) return { outcome: 'beginning', equalEvents, equalUpTo };
    if (found.length === 0) return { outcome: 'equal', equalEvents, equalUpTo };
    onProgress(equalUpTo, total);
  }
}

/**
 * Copies the events of the source after the end of the target's log. Each transaction leaves a log without gaps, so that an interrupted
 * transfer can continue.
 * @returns how many events were copied
 * @throws ApplicationError `service_unavailable` if something else writes to the target
 */
async function copyLog(
  source: SqlRunner,
  target: Database,
  { after, onProgress }: { readonly after: bigint; readonly onProgress: Progress },
): Promise<bigint> {
  const total = await lastStoredPosition(source);
  let copied = 0n;
  for (let end = after; ;) {
    const events = await readStoredEvents(source, { after: end, limit: ROWS_IN_PAGE });
    const last = events.at(-1);
    if (!last) return copied;
    await target.transaction(async (transaction) => {
      if ((await lastStoredPosition(transaction)) !== end) {
        throw new ApplicationError(
          'service_unavailable',
          'Something else writes to the target: stop it, empty the database, and transfer again.',
        );
      }
      await copyStoredEvents(transaction, events);
    });
    end = last.position;
    copied += BigInt(events.length);
    onProgress(end, total);
  }
}

/** Returns one sentence for each difference between the source and the target. Replays the log only if everything else is equal. */
async function findDifferences(source: SqlRunner, application: INestApplicationContext, tables: readonly Table[]): Promise<string[]> {
  const { reader } = application.get(Database, { strict: false });
  const { outcome, equalUpTo } = await withProgress('comparing', (onProgress) => compareLogs(reader, source, onProgress));
  const statuses = await application.get(ProjectionStatuses, { strict: false }).all();
  const outdated = statuses.filter(({ upToDate }) => upToDate === false);
  const problems = [
    ...(outcome === 'equal' ? [] : [`the logs differ after position ${equalUpTo}`]),
    ...(await findDifferingTables(source, reader, tables)).map((table) => `table ${table} differs`),
    ...outdated.map(({ name }) => `the projection ${name} is not up to date`),
  ];
  return problems.length > 0 ? problems : [...(await verify(application)).problems];
}
