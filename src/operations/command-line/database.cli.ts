import type { Command } from 'commander';
import { bytes, fields, type View } from '#libs/cli-kit';
import { migrateDatabase } from '#libs/database';
import { ApplicationError } from '#libs/errors';
import type { OperationsCliContext } from './operations-cli-context.js';
import { backUpSqlite, type Backup } from './sqlite-backup.js';
import { registerTransfer } from './transfer/transfer.cli.js';

/** Adds `db migrate|backup|transfer`. */
export function registerDatabaseCommands(program: Command, context: OperationsCliContext): void {
  const database = program.command('db').description('migrate, back up and transfer the database');
  database
    .command('migrate')
    .description('bring the database up to date; creates it where there is none')
    .action(async () => {
      const applied = await migrateDatabase(context.configuration().database, context.migrations);
      context.print({ applied }, appliedLines);
      if (applied.length === 0) context.note('Nothing was changed: the database is up to date.');
    });
  database
    .command('backup <file>')
    .description('write a consistent copy of an SQLite database to a new file, also while the service runs')
    .action((file: string) => backUp(context, file));
  registerTransfer(database, context);
}

const appliedLines: View<{ readonly applied: readonly string[] }> = ({ applied }) => applied.map((migration) => `applied ${migration}`);

const backupFields = fields<Backup>(({ file, bytes: size }) => ({ file, size: bytes(size) }));

async function backUp(context: OperationsCliContext, file: string): Promise<void> {
  const { database } = context.configuration();
  if (database.kind !== 'sqlite') {
    throw new ApplicationError('invalid_request', 'A PostgreSQL database is backed up with its own tool, pg_dump.');
  }
  // One that is not up to date is backed up too: that is when a backup is wanted most.
  await context.requireDatabase();
  context.print(await backUpSqlite(database.path, file), backupFields);
}
