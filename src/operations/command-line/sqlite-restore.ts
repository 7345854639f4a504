import { randomUUID } from 'node:crypto';
import { access, constants, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { assertDatabaseCurrent, inspectDatabase, lockForService } from '#libs/database';
import { ApplicationError } from '#libs/observability';
import type { ServiceAccess } from './service-access.js';
import { copyDatabase, resolveFile, sync, withConnection } from './sqlite-backup.js';

export interface Restored {
  /** Absolute path of the database. */
  readonly file: string;
  /** Absolute path of the previous database; null if there was none. */
  readonly kept: string | null;
  readonly bytes: number;
}

/**
 * Replaces the SQLite database of the configuration by a copy of a backup, which begins a new history of the log with its next event.
 * Changes nothing before the copy is checked and synced to disk, and keeps the previous database beside it under another name.
 * @throws ApplicationError `invalid_request` for PostgreSQL, `invalid_parameter` for a file that is not a database of this service or is
 *   damaged, `service_unavailable` if it was moved or belongs to a newer build; StartupError while a service uses the database
 */
export async function restoreDatabase(service: ServiceAccess, file: string): Promise<Restored> {
  const { database } = service.configuration();
  if (database.kind !== 'sqlite') {
    throw new ApplicationError('invalid_request', 'A PostgreSQL database is restored with its own tool, pg_restore.');
  }
  const backup = resolveFile(file, database.path);
  await assertReadable(backup);
  const claim = lockForService(database.path, { creates: true });
  try {
    const path = await realpath(database.path);
    if ((await realpath(backup)) === path) throw new ApplicationError('invalid_parameter', `${backup} is the database itself.`);
    const copy = `${path}.${randomUUID()}.part`;
    try {
      await makeCopy(service, backup, copy);
      return await replace(path, copy);
    } finally {
      await rm(copy, { force: true });
    }
  } finally {
    claim.release();
  }
}

async function assertReadable(backup: string): Promise<void> {
  try {
    await access(backup, constants.R_OK);
    if ((await stat(backup)).isFile()) return;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') {
      throw new ApplicationError('invalid_parameter', `${backup} cannot be read by the user who runs this command.`, { cause: error });
    }
  }
  throw new ApplicationError('invalid_parameter', `There is no file ${backup}.`);
}

/** Copies a backup and checks it. */
async function makeCopy({ modules: { migrations } }: ServiceAccess, backup: string, copy: string): Promise<void> {
  try {
    copyDatabase(backup, copy);
    const finding = withConnection(copy, { readonly: true }, (connection) => String(connection.pragma('quick_check(1)', { simple: true })));
    if (finding !== 'ok') throw new Error(finding);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ApplicationError('invalid_parameter', `${backup} is not a database of SQLite, or it is damaged: ${reason}.`, { cause });
  }
  const state = await inspectDatabase({ kind: 'sqlite', path: copy }, migrations);
  if (state.pendingMigrations.length === migrations.length) {
    throw new ApplicationError('invalid_parameter', `${backup} is not a database of this service.`);
  }
  assertDatabaseCurrent({ kind: 'sqlite', path: backup }, state);
  await sync(copy);
}

/**
 * Puts the copy in the place of the database. A write-ahead log goes with the previous database, which would lose acknowledged writes
 * without it; also if only the log is left.
 */
async function replace(path: string, copy: string): Promise<Restored> {
  const sizes = await Promise.all([path, `${path}-wal`].map(async (file) => (await stat(file).catch(() => undefined))?.size ?? 0));
  const isEmpty = sizes.every((size) => size === 0);
  const kept = isEmpty ? null : `${path}.before-${new Date().toISOString().replaceAll(':', '-')}`;
  // In this order a service that starts in between finds no database, and never one without its write-ahead log.
  for (const end of ['', '-wal']) await moveAway(`${path}${end}`, kept === null ? undefined : `${kept}${end}`);
  await moveAway(`${path}-shm`, undefined);
  await rename(copy, path);
  await sync(dirname(path));
  return { file: path, kept, bytes: (await stat(path)).size };
}

/** Renames a file, or removes it without a new name. Does nothing if it does not exist. */
async function moveAway(file: string, to: string | undefined): Promise<void> {
  if (to === undefined) return rm(file, { force: true });
  await rename(file, to).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  });
}
