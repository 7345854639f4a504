import { setTimeout as delay } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { Database, type SqlRunner, type WriteTransaction } from '../database.js';
import { DatabaseUnavailableError } from '../database.errors.js';
import { sqliteDialect } from './sqlite.dialect.js';
import { sqliteCode, translateSqliteError } from './sqlite-errors.js';
import { readConnectionOptions } from './sqlite-options.js';
import { SqliteRunner } from './sqlite-runner.js';

const LOCK_RETRY_MILLISECONDS = 2;
const LOCK_DEADLINE_MILLISECONDS = 5_000;

/**
 * One file, one connection that writes and one that only reads.
 * TypeORM gives every caller the same query runner on SQLite, so transactions of two callers would mix: the queue
 * here is the only user of the writing connection.
 */
export class SqliteDatabase extends Database {
  readonly dialect = sqliteDialect;
  readonly reader: SqlRunner;
  private readonly writer: SqliteRunner;
  private lastWrite: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly path: string,
    private readonly writeSource: DataSource,
    readSource: DataSource,
  ) {
    super();
    this.writer = new SqliteRunner(writeSource);
    this.reader = new SqliteRunner(readSource);
  }

  write<Result>(work: (transaction: WriteTransaction) => Promise<Result>): Promise<Result> {
    const result = this.lastWrite.then(() => this.transaction(work));
    this.lastWrite = result.catch(() => undefined);
    return result;
  }

  async snapshot<Result>(work: (runner: SqlRunner) => Promise<Result>): Promise<Result> {
    const source = await new DataSource(readConnectionOptions(this.path, 'cli')).initialize();
    try {
      await source.query('BEGIN');
      return await work(new SqliteRunner(source));
    } finally {
      await source.destroy();
    }
  }

  private async transaction<Result>(work: (transaction: WriteTransaction) => Promise<Result>): Promise<Result> {
    await this.begin();
    try {
      const result = await work(this.writer);
      await this.writeSource.query('COMMIT');
      return result;
    } catch (error) {
      await this.rollback();
      throw translateSqliteError(error);
    }
  }

  /** IMMEDIATE takes the write lock at once; a deferred transaction would fail when it first writes. */
  private async begin(): Promise<void> {
    const deadline = performance.now() + LOCK_DEADLINE_MILLISECONDS;
    for (;;) {
      try {
        await this.writeSource.query('BEGIN IMMEDIATE');
        return;
      } catch (error) {
        if (!sqliteCode(error)?.startsWith('SQLITE_BUSY')) throw translateSqliteError(error);
        if (performance.now() > deadline) throw new DatabaseUnavailableError(error);
        await delay(LOCK_RETRY_MILLISECONDS);
      }
    }
  }

  /** SQLite has already rolled back by itself after some errors, such as a full disk. */
  private async rollback(): Promise<void> {
    try {
      await this.writeSource.query('ROLLBACK');
    } catch (error) {
      if (!(error instanceof Error && error.message.includes('no transaction is active'))) throw translateSqliteError(error);
    }
  }
}
