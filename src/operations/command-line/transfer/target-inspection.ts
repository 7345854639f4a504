import type { Progress } from '#libs/cli-kit';
import {
  describeLocation,
  inspectDatabase,
  listTables,
  readDatabase,
  assertDatabaseNotNewer,
  sql,
  type DatabaseLocation,
  type Migration,
  type SqlRunner,
} from '#libs/database';
import { ApplicationError } from '#libs/errors';
import { place } from '#libs/place';
import { openingFailure } from '../failure-line.js';
import { compareLogs, type LogComparison } from './log-comparison.js';

/** A database to be written, and what its build knows. */
export interface TransferTarget {
  readonly location: DatabaseLocation;
  readonly migrations: readonly Migration[];
}

const NOTHING: LogComparison = { outcome: 'beginning', equalEvents: 0n, equalUpTo: 0n };

/**
 * Looks whether a transfer into a database can begin or go on, and changes nothing there.
 * @returns how its log compares to the source's: equal or the beginning of it.
 * @throws ApplicationError `invalid_parameter` for a database that holds anything else, `service_unavailable` when it cannot be opened.
 */
export async function inspectTarget(
  { location, migrations }: TransferTarget,
  source: SqlRunner,
  onProgress: Progress,
): Promise<LogComparison> {
  const refuse = (reason: string) =>
    new ApplicationError('invalid_parameter', `${describeLocation(location)} ${reason} Nothing was changed there.`);
  const content = await readDatabase(location, inspectContent).catch((error: unknown) => {
    throw openingFailure(location, error);
  });
  if (content === 'nothing') return NOTHING;
  if (content === 'foreign') throw refuse('holds tables that are not of this service: --to must name an empty database.');
  const state = await inspectDatabase(location, migrations);
  assertDatabaseNotNewer(location, state);
  if (state.pendingMigrations.length > 0) throw refuse(`is not up to date: run "${place.command('db migrate')}" on it first.`);
  const comparison = await readDatabase(location, (target) => compareLogs(target, source, onProgress));
  const after = `position ${comparison.equalUpTo}`;
  if (comparison.outcome === 'different') throw refuse(`holds another log: it differs after ${after}. --to must name an empty database.`);
  if (comparison.outcome === 'longer') throw refuse(`holds a longer log: it goes on after ${after}, where that of the source ends.`);
  return comparison;
}

/**
 * What a database holds, told by its tables. Only a log beside the list of migrations is ours: they are made in one transaction. An empty
 * list alone is what an earlier build left that was killed before it; there is nothing in it that could be somebody's.
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
