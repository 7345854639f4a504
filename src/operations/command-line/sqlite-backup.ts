import { randomUUID } from 'node:crypto';
import { access, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import SqliteConnection from 'better-sqlite3';
import { ApplicationError } from '#libs/errors';

export interface Backup {
  /** Absolute path of the copy. */
  readonly file: string;
  readonly bytes: number;
}

/**
 * Copies a database into a new file while others write to it. The copy is one moment of the database, synced to disk
 * before it appears under its name.
 * @throws ApplicationError `invalid_parameter` when the file exists or cannot be written.
 */
export async function backUpSqlite(databasePath: string, file: string): Promise<Backup> {
  const target = resolve(file);
  const unfinished = join(dirname(target), `.${basename(target)}.${randomUUID()}.part`);
  await refuseExisting(target);
  try {
    copyDatabase(databasePath, unfinished);
    await sync(unfinished);
    await refuseExisting(target);
    await rename(unfinished, target);
    await sync(dirname(target));
  } catch (error) {
    await rm(unfinished, { force: true });
    if (error instanceof ApplicationError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
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
