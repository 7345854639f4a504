import { statSync } from 'node:fs';
import { DataSource } from 'typeorm';
import { cliCommand, StartupError } from '#libs/observability';
import { readFailure } from '../database.errors.js';
import type { Database } from '../database.js';
import type { ClaimOptions, ConnectionPurpose, DataSources, ServiceClaim } from '../engine.js';
import { RefusedWrites } from '../entities/refused-writes.subscriber.js';
import { migrationClass, type Migration } from '../migration.js';
import { lockForService } from './service-lock.js';
import { connectionOptions } from './sqlite-connection.js';
import { SqliteDatabase } from './sqlite-database.js';
import { sqliteDialect } from './sqlite.dialect.js';

const RESTORE = `Restore a backup; "${cliCommand('doctor --full')}" says more.`;

/** Explanations for operators of a database file on which no service can start. The first code that matches counts. */
const EXPLANATIONS: readonly (readonly [code: RegExp, sentence: (path: string) => string])[] = [
  [/^SQLITE_NOTADB/, (path) => `${path} is not a database of SQLite, or its header is damaged. ${RESTORE}`],
  [/^SQLITE_CORRUPT/, (path) => `${path} is damaged. ${RESTORE}`],
  [/^SQLITE_READONLY/, (path) => `${path} cannot be written. Give this user the right to write it and its folder.`],
  [
    /^SQLITE_CANTOPEN|^EACCES|^EROFS|^EPERM|^EISDIR/,
    (path) => `${path} cannot be opened. Give this user the right to read and write it and its folder.`,
  ],
  [/^SQLITE_FULL|^ENOSPC/, (path) => `there is no room left for ${path}. Make room on its disk.`],
];

/** An embedded database in one file. */
export class SqliteEngine {
  readonly dialect = sqliteDialect;

  constructor(private readonly path: string) {}

  /** Whether the file has no content yet. */
  isMissing(): boolean {
    return (statSync(this.path, { throwIfNoEntry: false })?.size ?? 0) === 0;
  }

  /** Reserves the file, which only one service may serve. @throws Error if another service has it. */
  claim(options: ClaimOptions): ServiceClaim {
    return lockForService(this.path, options);
  }

  /**
   * Opens the file to write, without reading rows. SQLite opens a read-only file, and even begins a transaction on it, without an error: only
   * a write fails.
   * @throws Error if the file is damaged or cannot be written
   */
  async assertUsable(): Promise<void> {
    const source = await new DataSource(this.writeConnection('cli')).initialize();
    try {
      await source.query('BEGIN IMMEDIATE');
      await source.query('PRAGMA user_version = 1');
    } catch (error) {
      // Another process that writes just now has shown that the file can be written.
      if (!readFailure(error).code?.startsWith('SQLITE_BUSY')) throw error;
    } finally {
      // Which rolls back.
      await source.destroy();
    }
  }

  /** Explains to an operator the error of a start that failed. */
  explainStartFailure(error: unknown): unknown {
    const { code = '', message } = readFailure(error);
    const explanation = EXPLANATIONS.find(([pattern]) => pattern.test(code))?.[1];
    return explanation ? new StartupError(`${explanation(this.path)} (${message})`, { cause: error }) : error;
  }

  writeConnection(purpose: ConnectionPurpose) {
    return connectionOptions(this.path, purpose, 'write');
  }

  readConnection(purpose: ConnectionPurpose) {
    return { ...connectionOptions(this.path, purpose, 'read'), subscribers: [RefusedWrites] };
  }

  /** Runs the pending migrations, in exactly one of several processes that try. Returns the names of those that ran. */
  async migrate(migrations: readonly Migration[]): Promise<string[]> {
    const classes = migrations.map((migration) => migrationClass(migration, this.dialect));
    const source = await new DataSource({ ...this.writeConnection('cli'), migrations: classes }).initialize();
    try {
      await source.query('BEGIN IMMEDIATE');
      await assertOwnFile(source, this.path);
      const applied = await source.runMigrations({ transaction: 'none' });
      await source.query('COMMIT');
      return applied.map(({ name }) => name);
    } finally {
      // Which rolls back what is not committed.
      await source.destroy();
    }
  }

  async open(sources: DataSources, purpose: ConnectionPurpose): Promise<Database> {
    return new SqliteDatabase(this.path, sources, purpose);
  }
}

/** @throws StartupError if there are tables, but no list of migrations. */
async function assertOwnFile(source: DataSource, path: string): Promise<void> {
  const tables = await source.query<{ name: string }[]>(`SELECT "name" FROM "sqlite_master" WHERE "type" = 'table'`);
  if (tables.length === 0 || tables.some(({ name }) => name === 'migrations')) return;
  throw new StartupError(`${path} is not a database of this service`);
}
