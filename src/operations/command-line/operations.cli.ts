import { Option, type Command } from 'commander';
import { bytes, commandGroup, fields, table, toned, wholeNumber, withProgressBar, type Cell, type CommandRegistration } from '#libs/cli';
import type { ProjectionStatus } from '#libs/event-sourcing';
import type { EventListOptions } from './list-events.js';
import type { OperationsCliContext } from './operations-cli-context.js';
import type { Backup } from './sqlite-backup.js';

const TRANSFER_HELP = `
The database of the configuration must be SQLite; the target must be empty, only migrated, or hold what an earlier run has copied.
Nothing may serve from the target yet. A service that runs on the source answers reads, and writes with 503, until this ends.

To keep the password off the command line leave it out and set PGPASSWORD. Where another role owns the target's tables, set
MIGRATION_DATABASE_URL to the target as that role.

After an interruption, run the same command again: it goes on where it was.`;

/** Adds `events`, `projections`, `db` and `doctor`. */
export const registerOperationsCommands: CommandRegistration<OperationsCliContext> = (program, context) => {
  addEvents(commandGroup(program, 'events', 'read and check the log of all facts'), context);
  addProjections(commandGroup(program, 'projections', 'look at and rebuild the tables that answer queries'), context);
  addDatabase(commandGroup(program, 'db', 'migrate, back up and transfer the database'), context);
  program
    .command('doctor')
    .description('look at the configuration, the database and the versions, and say what is wrong')
    .option('--full', 'also read the whole database and check the log and the projections')
    .action(async ({ full = false }: { readonly full?: boolean }) => {
      const { runDoctor } = await import('./doctor.js');
      await runDoctor(context, full);
    });
};

function addEvents(events: Command, context: OperationsCliContext): void {
  const from = (option: string, minimum: bigint) =>
    wholeNumber(`${option} must be a whole number from ${minimum} in plain digits`, minimum);
  events
    .command('list')
    .description('print events, ascending by position; as NDJSON where a program reads')
    .option('--stream <stream>', 'only of this stream, such as pet-1')
    .option('--type <type>', 'only of this type, such as pet-added')
    .addOption(new Option('--after <position>', 'only after this position').argParser(from('--after', 0n)).default(0n, '0'))
    .addOption(new Option('--limit <count>', 'at most this many').argParser(from('--limit', 1n)).default(100n, '100'))
    .action(async (options: EventListOptions) => {
      const { listEvents } = await import('./list-events.js');
      await listEvents(context, options);
    });
  events
    .command('verify')
    .description('check that versions have no gaps, positions ascend and projections equal a replay')
    .action(async () => {
      const { printVerification } = await import('./verification.js');
      await printVerification(context);
    });
  events
    .command('begin-history')
    .description('after a restore that no command of this service made: give the next event a position that was never given out')
    .action(async () => {
      const { Database, raw } = await import('#libs/database');
      const { MARK_NEW_HISTORY } = await import('#libs/event-sourcing');
      const database = await context.get(Database);
      await database.write((transaction) => transaction.query(raw(MARK_NEW_HISTORY)));
      context.note('The next event begins a new history of the log.');
    });
}

function addProjections(projections: Command, context: OperationsCliContext): void {
  projections
    .command('status')
    .description('print how far each projection is, in every version that a build has left')
    .action(async () => {
      const { ProjectionStatuses } = await import('#libs/event-sourcing');
      context.print(await (await context.get(ProjectionStatuses)).all(), statusTable);
    });
  projections
    .command('rebuild <name>')
    .description('build a projection again from the log, beside the live one, and switch; the service goes on serving')
    .action(async (name: string) => {
      const { ProjectionRebuilder, ProjectionStatuses } = await import('#libs/event-sourcing');
      const rebuilder = await context.get(ProjectionRebuilder);
      await withProgressBar('rebuilding', (onProgress) => rebuilder.rebuild(name, onProgress));
      const statuses = await (await context.get(ProjectionStatuses)).all();
      context.print(statuses.find((status) => status.used && status.name === name));
    });
  projections
    .command('prune')
    .description('remove the tables of versions that this build does not use; one that is still running builds its own again')
    .action(async () => {
      const { ProjectionPruning } = await import('#libs/event-sourcing');
      const pruned = await (await context.get(ProjectionPruning)).prune();
      context.print({ pruned });
      if (pruned.length === 0) context.note('Nothing was changed: there are no tables of other versions.');
    });
}

const statusTable = table<ProjectionStatus>('There are no projections.', (status) => ({
  name: status.name,
  version: status.version,
  state: stateCell(status),
  position: status.position,
  generation: status.generation,
  rebuild: status.rebuild && `at position ${status.rebuild.position}`,
}));

function stateCell({ used, upToDate, lag }: ProjectionStatus): Cell {
  if (!used) return toned('quiet', "another build's");
  if (upToDate === true) return toned('good', 'up to date');
  return toned('bad', lag === null || lag === 0n ? 'not built' : `behind by ${lag} positions`);
}

function addDatabase(database: Command, context: OperationsCliContext): void {
  database
    .command('migrate')
    .description('bring the database up to date; creates it where there is none')
    .action(async () => {
      const { migrateDatabase } = await import('#libs/database');
      const service = await context.service();
      const applied = await migrateDatabase(service.configuration().database, service.migrations);
      context.print({ applied }, ({ applied: names }) => names.map((migration) => `applied ${migration}`));
      if (applied.length === 0) context.note('Nothing was changed: the database is up to date.');
    });
  database
    .command('backup <file>')
    .description('write a consistent copy of an SQLite database to a new file, also while the service runs')
    .action(async (file: string) => {
      const { backUpDatabase } = await import('./sqlite-backup.js');
      context.print(await backUpDatabase(await context.service(), file), backupFields);
    });
  database
    .command('transfer')
    .description('copy everything from SQLite to PostgreSQL and check that both are equal')
    .requiredOption('--to <url>', 'the PostgreSQL database, as postgres://USER:PASSWORD@HOST:5432/DATABASE')
    .addHelpText('after', TRANSFER_HELP)
    .action(async ({ to }: { readonly to: string }) => {
      const { runTransfer } = await import('./transfer.js');
      await runTransfer(context, to);
    });
}

const backupFields = fields<Backup>(({ file, bytes: size }) => ({ file, size: bytes(size) }));
