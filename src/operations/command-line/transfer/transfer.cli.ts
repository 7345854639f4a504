import type { Command } from 'commander';
import { duration, fields, UsageError } from '#libs/cli-kit';
import { Database, describeLocation, parseDatabaseUrl, type DatabaseLocation } from '#libs/database';
import { ApplicationError } from '#libs/errors';
import type { OperationsCliContext } from '../operations-cli-context.js';
import { transfer } from './transfer.js';

const HELP = `
The database of the configuration must be SQLite; the target must be empty, only migrated, or hold what an earlier run has copied.
Nothing may serve from the target yet. A service that runs on the source answers reads, and writes with 503, until this ends.

To keep the password off the command line leave it out and set PGPASSWORD. Where another role owns the target's tables, set
MIGRATION_DATABASE_URL to the target as that role.

After an interruption, run the same command again: it goes on where it was.`;

/** Adds `db transfer`. */
export function registerTransfer(database: Command, context: OperationsCliContext): void {
  database
    .command('transfer')
    .description('copy everything from SQLite to PostgreSQL and check that both are equal')
    .requiredOption('--to <url>', 'the PostgreSQL database, as postgres://USER:PASSWORD@HOST:5432/DATABASE')
    .addHelpText('after', HELP)
    .action(({ to }: { readonly to: string }) => run(context, to));
}

const transferFields = fields<{ target: string; events: bigint; copied: bigint; seconds: number }>((report) => ({
  target: report.target,
  events: report.events,
  'copied now': report.copied,
  took: duration(report.seconds * 1_000),
}));

async function run(context: OperationsCliContext, to: string): Promise<void> {
  const began = performance.now();
  refuseOtherTarget(to);
  if (context.configuration().database.kind !== 'sqlite') {
    throw new ApplicationError('invalid_request', 'Only an SQLite database is transferred; DATABASE_URL names a PostgreSQL one already.');
  }
  const configuration = context.configurationOn(to);
  const source = (await context.application()).get(Database, { strict: false });
  const { wasEqual, ...report } = await transfer({
    source,
    target: { location: configuration.database, migrations: context.migrations },
    openTarget: () => context.applicationOn(configuration),
  });
  const target = describeLocation(configuration.database);
  if (wasEqual) context.note(`${target} equals the source already; nothing was changed there.`);
  context.print({ target, ...report, seconds: Math.round(performance.now() - began) / 1_000 }, transferFields);
}

function refuseOtherTarget(url: string): void {
  if (locationOf(url).kind === 'postgres') return;
  throw new UsageError('--to must name a PostgreSQL database, such as postgres://USER:PASSWORD@HOST:5432/DATABASE.');
}

function locationOf(url: string): DatabaseLocation {
  try {
    return parseDatabaseUrl(url);
  } catch (error) {
    throw new UsageError(`--to ${error instanceof Error ? error.message : String(error)}.`);
  }
}
