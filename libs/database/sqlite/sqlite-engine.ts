import { stat } from 'node:fs/promises';
import { DataSource } from 'typeorm';
import type { Database } from '../database.js';
import type { ConnectionPurpose, DatabaseEngine, DataSources, ServiceClaim } from '../engine.js';
import type { Migration } from '../migration.js';
import { assertUsableFile } from './file-check.js';
import { ServiceLock } from './service-lock.js';
import { explainStartFailure, readConnectionOptions, writeConnectionOptions } from './sqlite-connection.js';
import { SqliteDatabase } from './sqlite-database.js';

/** An embedded database in one file. */
export class SqliteEngine implements DatabaseEngine {
  constructor(private readonly path: string) {}

  claim(): ServiceClaim {
    return ServiceLock.take(this.path);
  }

  assertUsable(migrations: readonly Migration[]): Promise<void> {
    return assertUsableFile(this.path, migrations);
  }

  explainStartFailure(error: unknown): unknown {
    return explainStartFailure(this.path, error);
  }

  writeConnection(purpose: ConnectionPurpose) {
    return writeConnectionOptions(this.path, purpose);
  }

  readConnection(purpose: ConnectionPurpose) {
    return readConnectionOptions(this.path, purpose);
  }

  async appliedMigrations(): Promise<ReadonlySet<string> | undefined> {
    if ((await fileSize(this.path)) === 0) return undefined;
    const source = await new DataSource(this.readConnection('cli')).initialize();
    try {
      const tables = await source.query<object[]>(`SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'migrations'`);
      if (tables.length === 0) return new Set();
      const rows = await source.query<{ name: string }[]>('SELECT "name" FROM "migrations"');
      return new Set(rows.map(({ name }) => name));
    } finally {
      await source.destroy();
    }
  }

  async migrate(migrations: readonly Migration[]): Promise<string[]> {
    const source = await new DataSource({ ...this.writeConnection('cli'), migrations: [...migrations] }).initialize();
    try {
      await source.query('BEGIN IMMEDIATE');
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

/** In bytes; 0 if there is no file. */
async function fileSize(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}
