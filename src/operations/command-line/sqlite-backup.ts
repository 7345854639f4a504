import { randomUUID } from 'node:crypto';
import { access, constants, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, parse, resolve } from 'node:path';
import SqliteConnection from 'better-sqlite3';
import { ApplicationError } from '#libs/errors';
import { MARK_NEW_HISTORY } from '#libs/event-store';

export interface Backup {
  /** Absolute path of the copy. */
  readonly file: string;
  readonly bytes: number;
}

/**
 * Copies a database into a new file while others write to it. The copy is one moment of the database, synced to disk
 * before it appears under its name. A relative path counts from the working folder, but where that is the root, as in the image, where
 * nothing can be written, from the folder of the database.
 * @throws ApplicationError `invalid_parameter` when the file exists or cannot be written.
 */
export async function backUpSqlite(databasePath: string, file: string): Promise<Backup> {
  const folder = process.cwd();
  const target = resolve(folder === parse(folder).root ? dirname(databasePath) : folder, file);
  const unfinished = join(dirname(target), `.${basename(target)}.${randomUUID()}.part`);
  await refuseExisting(target);
  try {
    copyDatabase(databasePath, unfinished);
    markCopy(unfinished);
    await sync(unfinished);
    await refuseExisting(target);
    await rename(unfinished, target);
    await sync(dirname(target));
  } catch (error) {
    await rm(unfinished, { force: true });
    if (error instanceof ApplicationError) throw error;
    const reason = (await reasonOfFolder(target, databasePath)) ?? (error instanceof Error ? error.message : String(error));
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

/** The original goes on: what is appended to the copy, if it is restored, is another history. */
function markCopy(file: string): void {
  const connection = new SqliteConnection(file);
  try {
    const hasCounters = connection.prepare(`SELECT 1 FROM "sqlite_master" WHERE "name" = 'sequences'`).get() !== undefined;
    if (hasCounters) connection.exec(MARK_NEW_HISTORY);
  } finally {
    connection.close();
  }
}

/** What is wrong with the folder of the copy, of which SQLite says only that it cannot open the file; undefined where nothing is. */
async function reasonOfFolder(target: string, databasePath: string): Promise<string | undefined> {
  const folder = dirname(target);
  const beside = `; name a path in one that can be, such as ${join(dirname(databasePath), basename(target))}`;
  try {
    await access(folder, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return isMissing
      ? `there is no folder ${folder}`
      : `the folder ${folder} cannot be written${dirname(databasePath) === folder ? '' : beside}`;
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

async function refuseExisting(file: string): Promise<void> {
  const exists = await access(file).then(
    () => true,
    () => false,
  );
  if (exists) throw new ApplicationError('invalid_parameter', `${file} exists already; a backup never replaces a file.`);
}
