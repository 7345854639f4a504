import { stat } from 'node:fs/promises';
import { DataSource } from 'typeorm';
import { StartupError } from '#libs/observability';
import type { Database } from '../database.js';
import type { ClaimOptions, ConnectionPurpose, DatabaseEngine, DataSources, ServiceClaim, Migration, StoredState } from '../engine.js';
import { RefusedWrites } from '../entities/refused-writes.subscriber.js';
import { assertUsableFile } from './file-check.js';
import { MOVED_TABLE } from './moved-database.js';
import { lockForService } from './service-lock.js';
import { connectionOptions, explainStartFailure } from './sqlite-connection.js';
import { SqliteDatabase } from './sqlite-database.js';

/** An embedded database in one file. */
export class SqliteEngine implements DatabaseEngine {
  constructor(private readonly path: string) {}

  claim(options: ClaimOptions): ServiceClaim {
    return lockForService(this.path, options);
  }

  assertUsable(): Promise<void> {
    return assertUsableFile(this.path);
  }

  explainStartFailure(error: unknown): unknown {
    return explainStartFailure(this.path, error);
  }

  writeConnection(purpose: ConnectionPurpose) {
    return connectionOptions(this.path, purpose, 'write');
  }

  readConnection(purpose: ConnectionPurpose) {
    return { ...connectionOptions(this.path, purpose, 'read'), subscribers: [RefusedWrites] };
  }

  async readState(): Promise<StoredState | undefined> {
    if ((await fileSize(this.path)) === 0) return undefined;
    const source = await new DataSource(this.readConnection('cli')).initialize();
    try {
      const [movedTo] = await readColumn(source, MOVED_TABLE, 'place');
      return { applied: new Set(await readColumn(source, 'migrations', 'name')), movedTo };
    } finally {
      await source.destroy();
    }
  }

  async migrate(migrations: readonly Migration[]): Promise<string[]> {
    const source = await new DataSource({ ...this.writeConnection('cli'), migrations: [...migrations] }).initialize();
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

  async sizeInBytes(): Promise<number> {
    return (await fileSize(this.path)) + (await fileSize(`${this.path}-wal`));
  }
}

/** @throws StartupError if there are tables, but no list of migrations. */
async function assertOwnFile(source: DataSource, path: string): Promise<void> {
  const tables = await source.query<{ name: string }[]>(`SELECT "name" FROM "sqlite_master" WHERE "type" = 'table'`);
  if (tables.length === 0 || tables.some(({ name }) => name === 'migrations')) return;
  throw new StartupError(`${path} is not a database of this service`);
}

/** Returns no values if there is no such table. */
async function readColumn(source: DataSource, table: string, column: string): Promise<string[]> {
  const tables = await source.query<object[]>(`SELECT 1 FROM "sqlite_master" WHERE "type" = 'table' AND "name" = ?`, [table]);
  if (tables.length === 0) return [];
  const rows = await source.query<{ value: string }[]>(`SELECT "${column}" AS "value" FROM "${table}"`);
  return rows.map(({ value }) => value);
}

/** In bytes; 0 if there is no file. */
async function fileSize(file: string): Promise<number> {
  const found = await stat(file).catch(() => undefined);
  return found?.size ?? 0;
}
