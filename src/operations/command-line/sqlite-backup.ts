import { randomUUID } from 'node:crypto';
import { access, constants, open, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join, parse, resolve } from 'node:path';
import SqliteConnection from 'better-sqlite3';
import { ApplicationError } from '#libs/observability';
import { MARK_NEW_HISTORY } from '#libs/event-sourcing';
import type { ServiceAccess } from './service-access.js';

export interface Backup {
  /** Absolute path of the copy. */
  readonly file: string;
  readonly bytes: number;
}

/**
 * Copies the SQLite database of the configuration into a new file while others write to it. The copy is a snapshot, synced to disk before it
 * gets its name. A relative path starts at the working folder, or at the folder of the database if the working folder is the root, as in
 * the image, which is read-only.
 * @throws ApplicationError `invalid_parameter` if the file exists or cannot be written; `invalid_request` for PostgreSQL
 */
export async function backUpDatabase(service: ServiceAccess, file: string): Promise<Backup> {
  const { database } = service.configuration();
  if (database.kind !== 'sqlite') {
    throw new ApplicationError('invalid_request', 'A PostgreSQL database is backed up with its own tool, pg_dump.');
  }
  // A database that is not up to date is backed up too: before a migration a backup matters most.
  service.assertExists(await service.databaseState());
  const databasePath = database.path;
  const target = resolveFile(file, databasePath);
  const unfinished = join(dirname(target), `.${basename(target)}.${randomUUID()}.part`);
  await assertNew(target);
  try {
    // Closed to others before it holds the secrets of webhooks.
    await writeFile(unfinished, '', { mode: 0o600, flag: 'wx' });
    copyDatabase(databasePath, unfinished);
    await sync(unfinished);
    await assertNew(target);
    await rename(unfinished, target);
    await sync(dirname(target));
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => undefined);
    if (error instanceof ApplicationError) throw error;
    const reason = (await findFolderProblem(target, databasePath)) ?? (error instanceof Error ? error.message : String(error));
    throw new ApplicationError('invalid_parameter', `The backup cannot be written to ${target}: ${reason}.`, { cause: error });
  }
  return { file: target, bytes: (await stat(target)).size };
}

/** Returns the absolute path of a file that a command names, as `backUpDatabase` says. */
export function resolveFile(file: string, databasePath: string): string {
  const folder = process.cwd();
  return resolve(folder === parse(folder).root ? dirname(databasePath) : folder, file);
}

/** Copies in one read transaction, which blocks no writer in WAL mode. The copy begins a new history of the log with its next event. */
export function copyDatabase(from: string, to: string): void {
  withConnection(from, { readonly: true, fileMustExist: true }, (connection) => connection.prepare('VACUUM INTO ?').run(to));
  // The original keeps growing: events appended to a restored copy are another history.
  withConnection(to, {}, (copy) => {
    const hasCounters = copy.prepare(`SELECT 1 FROM "sqlite_master" WHERE "name" = 'sequences'`).get() !== undefined;
    if (hasCounters) copy.exec(MARK_NEW_HISTORY);
  });
}

export function withConnection<Result>(
  file: string,
  options: SqliteConnection.Options,
  work: (connection: SqliteConnection.Database) => Result,
): Result {
  const connection = new SqliteConnection(file, options);
  try {
    return work(connection);
  } finally {
    connection.close();
  }
}

/** Returns why the folder of the copy is not writable, if it is not: SQLite reports only that it cannot open the file. */
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

/** Flushes a file or folder to disk. */
export async function sync(path: string): Promise<void> {
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
