import type { INestApplicationContext } from '@nestjs/common';
import { duration, fields, UsageError, withProgressBar, type Progress } from '#libs/cli';
import {
  assertDatabaseNotNewer,
  Database,
  describeLocation,
  inspectDatabase,
  listTables,
  parseDatabaseUrl,
  readDatabase,
  sql,
  type DatabaseLocation,
  type Migration,
  type SqlRunner,
  type Table,
} from '#libs/database';
import { ApplicationError, cliCommand } from '#libs/observability';
import {
  copyStoredEvents,
  lastStoredPosition,
  readStoredEvents,
  type StoredEvent,
  ProjectionCatalog,
  ProjectionRebuilder,
  ProjectionStatuses,
} from '#libs/event-sourcing';
import { toOpeningError } from './failure-line.js';
import type { OperationsCliContext } from './operations-cli-context.js';
import { findDifferingTables, haveEqualValues, listPlainTables, replaceTables, ROWS_IN_PAGE } from './plain-tables.js';
import { verify } from './verification.js';

interface TransferReport {
  /** Events that both sides hold. */
  readonly events: bigint;
  /** Those of them that this run has copied. */
  readonly copied: bigint;
  /** Whether both sides were equal before, so that nothing was done. */
  readonly wasEqual: boolean;
}

/** How one log begins as another does. */
interface LogComparison {
  /** `beginning`: the other log holds all of it and goes on; `longer`: it goes on after the end of the other. */
  readonly outcome: 'equal' | 'beginning' | 'longer' | 'different';
  /** How many events, from the first, are equal in every column. */
  readonly equalEvents: bigint;
  /** The position of the last of them, 0 if there is none. */
  readonly equalUpTo: bigint;
}

const EMPTY: LogComparison = { outcome: 'beginning', equalEvents: 0n, equalUpTo: 0n };

/** Transfers the SQLite database of the configuration to a PostgreSQL database and prints a report. */
export async function runTransfer(context: OperationsCliContext, to: string): Promise<void> {
  const began = performance.now();
  assertPostgres(to);
  const service = await context.service();
  if (service.configuration().database.kind !== 'sqlite') {
    throw new ApplicationError('invalid_request', 'Only an SQLite database is transferred; DATABASE_URL names a PostgreSQL one already.');
  }
  const configuration = service.configurationOn(to);
  const location = configuration.database;
  const target = describeLocation(location);
  const { wasEqual, ...report } = await transfer(
    await context.get(Database),
    (source, onProgress) => inspectTarget(location, service.migrations, { source, onProgress }),
    () => service.openOn(configuration),
  );
  if (wasEqual) context.note(`${target} equals the source already; nothing was changed there.`);
  context.print({ target, ...report, seconds: Math.round(performance.now() - began) / 1_000 }, transferFields);
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
 * Makes a database equal to the source: the log as it is stored, the plain tables, and projections built from it. Holds the source's
 * write lock to the end, so both sides stand still. After an interruption it continues at the end of the target's log.
 * @param inspect compares the target's log to the source's, and throws for a target that may not be written
 * @param openTarget opens the application on the target, which its start brings up to date
 */
async function transfer(
  source: Database,
  inspect: (source: SqlRunner, onProgress: Progress) => Promise<LogComparison>,
  openTarget: () => Promise<INestApplicationContext>,
): Promise<TransferReport> {
  return source.write(async (held) => {
    const tables = await listPlainTables(held);
    const { outcome, equalEvents, equalUpTo } = await withProgressBar('comparing', (onProgress) => inspect(held, onProgress));
    const application = await openTarget();
    const target = application.get(Database, { strict: false });
    if (outcome === 'equal' && (await isFinished(held, application, tables))) return { events: equalEvents, copied: 0n, wasEqual: true };
    const copied = await withProgressBar('copying', (onProgress) => copyLog(held, target, { after: equalUpTo, onProgress }));
    await rebuildProjections(application);
    await replaceTables(held, target, tables);
    await assertEqual(held, application, tables);
    return { events: equalEvents + copied, copied, wasEqual: false };
  });
}

/**
 * Checks whether a transfer into a database can begin or continue, and changes nothing there.
 * @returns how its log compares to the source's: equal or the beginning of it.
 * @throws ApplicationError `invalid_parameter` for a database that holds anything else, `service_unavailable` when it cannot be opened.
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
  assertDatabaseNotNewer(location, state);
  if (state.pendingMigrations.length > 0) throw failure(`is not up to date: run "${cliCommand('db migrate')}" on it first.`);
  const comparison = await readDatabase(location, (target) => compareLogs(target, source, onProgress));
  const after = `position ${comparison.equalUpTo}`;
  if (comparison.outcome === 'different') throw failure(`holds another log: it differs after ${after}. --to must name an empty database.`);
  if (comparison.outcome === 'longer') throw failure(`holds a longer log: it goes on after ${after}, where that of the source ends.`);
  return comparison;
}

/**
 * Tells by its tables what a database holds. The log and the list of migrations are made in one transaction; an empty list without a log
 * was left by a build that was killed before it.
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
async function compareLogs(of: SqlRunner, withLog: SqlRunner, onProgress: Progress): Promise<LogComparison> {
  const total = await lastStoredPosition(of);
  let equalEvents = 0n;
  let equalUpTo = 0n;
  for (;;) {
    const page = { after: equalUpTo, limit: ROWS_IN_PAGE };
    const [found, expected] = await Promise.all([readStoredEvents(of, page), readStoredEvents(withLog, page)]);
    const different = found.findIndex((event, index) => !isSameEvent(event, expected[index]));
    const equal = different < 0 ? found : found.slice(0, different);
    equalEvents += BigInt(equal.length);
    equalUpTo = BigInt(equal.at(-1)?.position ?? equalUpTo);
    if (different >= 0) return { outcome: different < expected.length ? 'different' : 'longer', equalEvents, equalUpTo };
    if (found.length < expected.length) return { outcome: 'beginning', equalEvents, equalUpTo };
    if (found.length === 0) return { outcome: 'equal', equalEvents, equalUpTo };
    onProgress(equalUpTo, total);
  }
}

function isSameEvent(event: StoredEvent, other: StoredEvent | undefined): boolean {
  return other !== undefined && haveEqualValues(Object.values(event), Object.values(other));
}

/**
 * Copies the events of the source after the end of the target's log. Each transaction leaves a whole log, so that an interruption costs
 * nothing.
 * @returns how many events were copied
 * @throws ApplicationError `service_unavailable` when something else writes to the target
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
    await target.write(async (transaction) => {
      if ((await lastStoredPosition(transaction)) !== end) {
        throw new ApplicationError(
          'service_unavailable',
          'Something else writes to the target: end it, empty the database, and transfer again.',
        );
      }
      await copyStoredEvents(transaction, events);
    });
    end = BigInt(last.position);
    copied += BigInt(events.length);
    onProgress(end, total);
  }
}

/** Whether an earlier transfer of this log was finished: the tables come last. */
async function isFinished(source: SqlRunner, application: INestApplicationContext, tables: readonly Table[]): Promise<boolean> {
  const statuses = await application.get(ProjectionStatuses, { strict: false }).all();
  if (statuses.some(({ upToDate }) => upToDate === false)) return false;
  return (await findDifferingTables(source, application.get(Database, { strict: false }).reader, tables)).length === 0;
}

async function rebuildProjections(application: INestApplicationContext): Promise<void> {
  const rebuilder = application.get(ProjectionRebuilder, { strict: false });
  for (const { name } of application.get(ProjectionCatalog, { strict: false }).all()) {
    await withProgressBar(`building ${name}`, (onProgress) => rebuilder.rebuild(name, onProgress));
  }
}

/** @throws ApplicationError `internal_error` that names every difference. */
async function assertEqual(source: SqlRunner, application: INestApplicationContext, tables: readonly Table[]): Promise<void> {
  const target = application.get(Database, { strict: false });
  const { outcome, equalUpTo } = await withProgressBar('comparing', (onProgress) => compareLogs(target.reader, source, onProgress));
  const problems = [
    ...(outcome === 'equal' ? [] : [`the logs differ after position ${equalUpTo}`]),
    ...(await findDifferingTables(source, target.reader, tables)).map((table) => `table ${table} differs`),
    ...(await verify(application)).problems,
  ];
  if (problems.length === 0) return;
  throw new ApplicationError('internal_error', `The target is not as it should be, do not use it: ${problems.join('; ')}.`);
}
