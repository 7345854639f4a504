import { randomUUID } from 'node:crypto';
import { access, constants, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, parse, resolve } from 'node:path';
import SqliteConnection from 'better-sqlite3';
import { ApplicationError } from '#libs/observability';
import { MARK_NEW_HISTORY } from '#libs/event-sourcing';
import type { ServiceAccess } from './operations-cli-context.js';

export interface Backup {
  /** Absolute path of the copy. */
  readonly file: string;
  readonly bytes: number;
}

/**
 * Copies the SQLite database of the configuration into a new file while others write to it. The copy is one moment of the database, synced
 * to disk before it appears under its name. A relative path counts from the working folder, or from the folder of the database if that
 * is the root, as in the image, where nothing can be written.
 * @throws ApplicationError `invalid_parameter` when the file exists or cannot be written; `invalid_request` for PostgreSQL
 */
export async function backUpDatabase(service: ServiceAccess, file: string): Promise<Backup> {
  const { database } = service.configuration();
  if (database.kind !== 'sqlite') {
    throw new ApplicationError('invalid_request', 'A PostgreSQL database is backed up with its own tool, pg_dump.');
  }
  // One that is not up to date is backed up too: that is when a backup is wanted most.
  await service.requireDatabase();
  const databasePath = database.path;
  const folder = process.cwd();
  const target = resolve(folder === parse(folder).root ? dirname(databasePath) : folder, file);
  const unfinished = join(dirname(target), `.${basename(target)}.${randomUUID()}.part`);
  await assertNew(target);
  try {
    copyDatabase(databasePath, unfinished);
    markCopy(unfinished);
    await sync(unfinished);
    await assertNew(target);
    await rename(unfinished, target);
    await sync(dirname(target));
  } catch (error) {
    await rm(unfinished, { force: true });
    if (error instanceof ApplicationError) throw error;
    const reason = (await findFolderProblem(target, databasePath)) ?? (error instanceof Error ? error.message : String(error));
    throw new ApplicationError('invalid_parameter', `The backup cannot be written to ${target}: ${reason}.`, { cause: error });
  }
  return { file: target, bytes: (await stat(target)).size };
}

/** One read transaction for the whole copy; in WAL mode it holds up no writer. */
function copyDatabase(from: string, to: string): void {
  const connection = new SqliteConnection(from, { readonly: true, fileMustExist: true });
  try {
    connection.prepare('VACUUM INTO ?').run(to);
  } finally {
    connection.close();
  }
}

/** The original goes on: events appended to a restored copy are another history. */
function markCopy(file: string): void {
  const connection = new SqliteConnection(file);
  try {
    const hasCounters = connection.prepare(`SELECT 1 FROM "sqlite_master" WHERE "name" = 'sequences'`).get() !== undefined;
    if (hasCounters) connection.exec(MARK_NEW_HISTORY);
  } finally {
    connection.close();
  }
}

/** Says why the folder of the copy cannot be written: SQLite says only that it cannot open the file. */
async function findFolderProblem(target: string, databasePath: string): Promise<string | undefined> {
  const folder = dirname(target);
  try {
    await access(folder, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return `there is no folder ${folder}`;
    const other = join(dirname(databasePath), basename(target));
    return `the folder ${folder} cannot be written${other === target ? '' : `; name a path in one that can be, such as ${other}`}`;
  }
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function assertNew(file: string): Promise<void> {
  const exists = await access(file).then(
    () => true,
    () => false,
  );
  if (exists) throw new ApplicationError('invalid_parameter', `${file} exists already; a backup never replaces a file.`);
}
