import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Database, type Committed, type SqlRunner, type TransactionTerms, type WriteTransaction, type DatabaseFault } from '../database.js';
import { DatabaseUnavailableError } from '../database.errors.js';
import type { ConnectionPurpose, DataSources } from '../engine.js';
import type { SqlFragment } from '../sql.js';
import { traceStatement } from '../traced-statements.js';
import { FileCheck } from './file-check.js';
import { PreparedStatements, readConnectionOptions, sqliteCode, SqliteRunner, translateSqliteError } from './sqlite-connection.js';
import { sqliteDialect } from './sqlite.dialect.js';

/** Enough for a few appends. */
const LEAST_ROOM_BYTES = 128 * 1_024;
const LOCK_RETRY_MILLISECONDS = 2;
const LOCK_PATIENCE_MILLISECONDS = 5_000;
/** Takes the write lock at once; a deferred transaction would fail at its first write. */
const BEGIN = 'BEGIN IMMEDIATE';

/**
 * A database file with one connection that writes and one that only reads. TypeORM gives every caller the same query runner on SQLite, so
 * transactions of two callers would mix: the queue of `Database` is the only user of the writing connection.
 */
export class SqliteDatabase extends Database implements OnApplicationShutdown {
  readonly dialect = sqliteDialect;
  readonly patience = LOCK_PATIENCE_MILLISECONDS;
  readonly reader: SqlRunner;
  private readonly statements: PreparedStatements;
  private readonly readStatements: PreparedStatements;
  private readonly check: FileCheck | undefined;

  constructor(
    private readonly path: string,
    { write, read }: DataSources,
    purpose: ConnectionPurpose,
  ) {
    super();
    this.statements = new PreparedStatements(write);
    this.readStatements = new PreparedStatements(read);
    const reader = new SqliteRunner(this.readStatements);
    this.reader = { dialect: sqliteDialect, query: (statement) => this.read(reader, statement) };
    if (purpose === 'service') this.check = new FileCheck(path, (finding) => this.noteCorruption(finding));
  }

  /** Takes 0.5 µs, a tenth of the smallest read. */
  committedChanges(): number {
    try {
      const [row] = this.readStatements.run('PRAGMA data_version') as { readonly data_version: bigint }[];
      return Number(row?.data_version);
    } catch (error) {
      throw translateSqliteError(error);
    }
  }

  /** Also looks at the disk, since small writes still find room long after larger ones fail. */
  override get fault(): DatabaseFault | undefined {
    if (super.fault) return super.fault;
    const { bavail, bsize } = statfsSync(dirname(this.path));
    return bavail * bsize < LEAST_ROOM_BYTES ? { kind: 'full', reason: 'there is no room to write: its disk is full' } : undefined;
  }

  onConnectionReplaced(): void {}

  onApplicationShutdown(): void {
    this.check?.end();
  }

  async snapshot<Result>(work: (runner: SqlRunner) => Promise<Result>): Promise<Result> {
    const source = await new DataSource(readConnectionOptions(this.path, 'cli')).initialize();
    try {
      await source.query('BEGIN');
      return await work(new SqliteRunner(new PreparedStatements(source)));
    } finally {
      await source.destroy();
    }
  }

  private async read<Row extends object>(reader: SqliteRunner, statement: SqlFragment): Promise<Row[]> {
    try {
      return await reader.query<Row>(statement);
    } catch (error) {
      this.noteFailure(error);
      throw error;
    }
  }

  /** A commit without a sync goes to the write-ahead log; the next commit with one syncs both. */
  protected async transact<Result>(
    work: (transaction: WriteTransaction) => Promise<Result>,
    terms: TransactionTerms,
  ): Promise<Committed<Result>> {
    if (!terms.durable) this.statements.run('PRAGMA synchronous = NORMAL');
    try {
      return { result: await this.transaction(work, terms), durable: Promise.resolve() };
    } finally {
      if (!terms.durable) this.statements.run('PRAGMA synchronous = FULL');
    }
  }

  private async transaction<Result>(
    work: (transaction: WriteTransaction) => Promise<Result>,
    { deadline, locked }: TransactionTerms,
  ): Promise<Result> {
    await traceStatement(this.dialect.name, BEGIN, () => this.begin(deadline));
    locked();
    const transaction = new SqliteRunner(this.statements, true);
    try {
      const result = await work(transaction);
      transaction.assertNoFailure();
      traceStatement(this.dialect.name, 'COMMIT', () => this.statements.run('COMMIT'));
      return result;
    } catch (error) {
      this.rollback();
      throw translateSqliteError(error);
    }
  }

  private async begin(deadline: number): Promise<void> {
    for (;;) {
      try {
        this.statements.run(BEGIN);
        return;
      } catch (error) {
        if (!sqliteCode(error)?.startsWith('SQLITE_BUSY')) throw translateSqliteError(error);
        if (performance.now() > deadline) throw new DatabaseUnavailableError(error);
        await delay(LOCK_RETRY_MILLISECONDS);
      }
    }
  }

  /** SQLite has already rolled back by itself after some errors, such as a full disk. */
  private rollback(): void {
    try {
      this.statements.run('ROLLBACK');
    } catch (error) {
      if (!(error instanceof Error && error.message.includes('no transaction is active'))) throw translateSqliteError(error);
    }
  }
}
