import { Option, type Command } from 'commander';
import { commandGroup, table, toned, wholeNumber, withProgress, type Cell, type CommandRegistration } from '#libs/cli';
import type { ProjectionStatus } from '#libs/event-sourcing';
import type { EventListOptions } from './list-events.js';
import type { OperationsCliContext } from './service-access.js';

const TRANSFER_HELP = `
The configured database must be SQLite; the target must be empty, or only migrated.
No service may use the target yet. A service on the source keeps answering reads, and rejects writes with 503 until the transfer ends.

To keep the password off the command line, omit it and set PGPASSWORD. If another role owns the target's tables, set
MIGRATION_DATABASE_URL to the target with that role.

After an interruption, run the same command again: it begins again, since an unfinished copy leaves nothing in the target.`;

/** Adds `events`, `projections`, `db` and `doctor`. */
export const registerOperationsCommands: CommandRegistration<OperationsCliContext> = (program, context) => {
  addEvents(commandGroup(program, 'events', 'read and check the event log'), context);
  addProjections(commandGroup(program, 'projections', 'show and rebuild the read models'), context);
  addDatabase(commandGroup(program, 'db', 'migrate, back up, restore and transfer the database'), context);
  program
    .command('doctor')
    .description('check the configuration, the database and the versions, and report problems')
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
    .description('print events, ascending by position (NDJSON if stdout is not a terminal)')
    .option('--stream <stream>', 'only events of this stream, such as pet-1')
    .option('--type <type>', 'only events of this type, such as pet-added')
    .addOption(new Option('--after <position>', 'only events after this position').argParser(from('--after', 0n)).default(0n, '0'))
    .addOption(new Option('--limit <count>', 'maximum number of events').argParser(from('--limit', 1n)).default(100n, '100'))
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
    .description('start a new history of the log after a restore with other tools, so that no position is used twice')
    .action(async () => {
      const { Database, raw } = await import('#libs/database');
      const { MARK_NEW_HISTORY } = await import('#libs/event-sourcing');
      const database = await context.get(Database);
      await database.transaction((transaction) => transaction.query(raw(MARK_NEW_HISTORY)));
      context.note('The next event begins a new history of the log.');
    });
}

function addProjections(projections: Command, context: OperationsCliContext): void {
  projections
    .command('status')
    .description('print the position of each projection, in every stored version')
    .action(async () => {
      const { ReadModels } = await import('#libs/event-sourcing');
      context.print(await (await context.get(ReadModels)).statuses(), statusTable);
    });
  projections
    .command('rebuild <name>')
    .description('rebuild a projection from the log while the service runs, then switch to it')
    .action(async (name: string) => {
      const { ProjectionRebuilder, ReadModels } = await import('#libs/event-sourcing');
      const rebuilder = await context.get(ProjectionRebuilder);
      await withProgress('rebuilding', (onProgress) => rebuilder.rebuild(name, onProgress));
      const statuses = await (await context.get(ReadModels)).statuses();
      context.print(statuses.find((status) => status.used && status.name === name));
    });
  projections
    .command('prune')
    .description('remove the tables of versions that this build does not use; a running older build rebuilds its own')
    .action(async () => {
      const { ProjectionRebuilder } = await import('#libs/event-sourcing');
      const pruned = await (await context.get(ProjectionRebuilder)).prune();
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
    .description('apply the pending migrations; create the database if it does not exist')
    .action(async () => {
      const { migrateDatabase } = await import('#libs/database');
      const service = await context.service();
      const applied = await migrateDatabase(service.configuration().database, service.modules.migrations);
      context.print({ applied }, ({ applied: names }) => names.map((migration) => `applied ${migration}`));
      if (applied.length === 0) context.note('Nothing was changed: the database is up to date.');
    });
  database
    .command('backup <file>')
    .description('write a consistent copy of an SQLite database to a new file, even while the service runs')
    .action(async (file: string) => {
      const { backUpDatabase } = await import('./sqlite-backup.js');
      context.print(await backUpDatabase(await context.service(), file));
    });
  database
    .command('restore <file>')
    .description('put a backup in the place of an SQLite database while no service uses it; the previous file is kept beside it')
    .action(async (file: string) => {
      const { restoreDatabase } = await import('./sqlite-restore.js');
      const restored = await restoreDatabase(await context.service(), file);
      context.print(restored);
      if (restored.kept !== null) context.note(`The previous database is kept in ${restored.kept}: delete it when you no longer need it.`);
    });
  database
    .command('transfer')
    .description('copy everything from SQLite to PostgreSQL and check that both are equal')
    .requiredOption('--to <url>', 'URL of the PostgreSQL database, such as postgres://USER:PASSWORD@HOST:5432/DATABASE')
    .addHelpText('after', TRANSFER_HELP)
    .action(async ({ to }: { readonly to: string }) => {
      const { runTransfer } = await import('./transfer.js');
      await runTransfer(context, to);
    });
}
