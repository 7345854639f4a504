import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { systemTimers } from '#libs/observability';
import { Database } from '../database.js';
import type { Committing, DatabaseFault, SqlRunner, TransactionOptions, TransactionWork, WriteTransaction } from '../database.js';
import { DatabaseUnavailableError, readFailure, translateDatabaseError } from '../database.errors.js';
import type { ConnectionPurpose, DataSources } from '../engine.js';
import { TransactionRunner } from '../entities/transaction-runner.js';
import type { SqlFragment } from '../sql.js';
import { traceStatement } from '../traced-statements.js';
import { checkFileSoon } from './file-check.js';
import { PreparedStatements } from './prepared-statements.js';
import { connectionOptions } from './sqlite-connection.js';
import { sqliteDialect } from './sqlite.dialect.js';

/** Enough for a few appends. */
const MIN_FREE_BYTES = 128 * 1_024;
const LOCK_RETRY_MILLISECONDS = 2;
/** Takes the write lock at once; a deferred transaction would fail at its first write. */
const BEGIN = 'BEGIN IMMEDIATE';

/**
 * A database file with one connection that writes and one that only reads. TypeORM gives every caller the same query runner on SQLite, so
 * transactions of two callers would mix: the queue of `Database` is the only user of the writing connection.
 */
export class SqliteDatabase extends Database implements OnApplicationShutdown {
  readonly dialect = sqliteDialect;
  readonly maxWaitMilliseconds = 5_000;
  readonly reader: SqlRunner = { dialect: sqliteDialect, query: (statement) => this.read(statement) };
  private readonly writeSource: DataSource;
  private readonly statements: PreparedStatements;
  private readonly readStatements: PreparedStatements;
  private readonly findFileProblem: () => string | undefined;
  private readonly shutdown = new AbortController();
  private hasLoggedMove = false;

  constructor(
    private readonly path: string,
    { write, read }: DataSources,
    purpose: ConnectionPurpose,
  ) {
    super();
    this.writeSource = write;
    this.statements = new PreparedStatements(write);
    this.readStatements = new PreparedStatements(read);
    // Which opens the write-ahead log.
    this.readStatements.run('SELECT 1 FROM "sqlite_master"');
    this.findFileProblem = watchFiles(path);
    if (purpose === 'service') void checkFileSoon(path, this.shutdown.signal, (finding) => this.noteCorruption(finding));
  }

  /** Takes 0.5 µs, a tenth of the smallest read. */
  committedChanges(): number {
    try {
      const [row] = this.readStatements.run('PRAGMA data_version') as { readonly data_version: bigint }[];
      return Number(row?.data_version);
    } catch (error) {
      throw translateDatabaseError(error);
    }
  }

  /** Also looks at the disk, since small writes still find room long after larger ones fail. */
  override get fault(): DatabaseFault | undefined {
    if (super.fault) return super.fault;
    const reason = this.findMove();
    if (reason !== undefined) return { kind: 'moved', reason };
    const { bavail, bsize } = statfsSync(dirname(this.path));
    return bavail * bsize < MIN_FREE_BYTES ? { kind: 'full', reason: 'there is no room to write: its disk is full' } : undefined;
  }

  onConnectionReplaced(): void {}

  onApplicationShutdown(): void {
    this.shutdown.abort();
  }

  async snapshot<Result>(work: (transaction: WriteTransaction) => Promise<Result>): Promise<Result> {
    const source = await new DataSource(connectionOptions(this.path, 'cli', 'read')).initialize();
    try {
      await source.query('BEGIN');
      const statements = new PreparedStatements(source);
      const transaction = new TransactionRunner(sqliteDialect, (statement) => statements.query(statement), source);
      const result = await work(transaction);
      transaction.assertNoFailure();
      return result;
    } finally {
      await source.destroy();
    }
  }

  /** A commit without a sync goes to the write-ahead log; the next commit with one syncs both. */
  protected async transact<Result>(work: TransactionWork<Result>, terms: TransactionOptions): Promise<Committing<Result>> {
    if (!terms.durable) this.statements.run('PRAGMA synchronous = NORMAL');
    try {
      return { result: await this.runExclusively(work, terms), durable: Promise.resolve() };
    } finally {
      if (!terms.durable) this.statements.run('PRAGMA synchronous = FULL');
    }
  }

  private async runExclusively<Result>(work: TransactionWork<Result>, { deadline, locked }: TransactionOptions): Promise<Result> {
    this.assertInPlace('unchanged');
    await traceStatement(this.dialect.name, BEGIN, () => this.begin(deadline));
    const transaction = new TransactionRunner(sqliteDialect, (statement) => this.statements.query(statement), this.writeSource);
    let result: Result;
    try {
      locked();
      result = await transaction.perform(work);
      transaction.assertNoFailure();
      traceStatement(this.dialect.name, 'COMMIT', () => this.statements.run('COMMIT'));
    } catch (error) {
      // SQLite has already rolled back by itself after some errors, such as a full disk.
      if (this.statements.isInTransaction) this.statements.run('ROLLBACK');
      throw translateDatabaseError(error);
    }
    this.assertInPlace('unknown');
    return result;
  }

  private async read<Row extends object>(statement: SqlFragment): Promise<Row[]> {
    try {
      return this.readStatements.query<Row>(statement);
    } catch (error) {
      this.noteFailure(error);
      throw error;
    }
  }

  /** @throws DatabaseUnavailableError if the next start would not find what this one writes. */
  private assertInPlace(outcome: DatabaseUnavailableError['outcome']): void {
    const reason = this.findMove();
    if (reason !== undefined) throw new DatabaseUnavailableError(new Error(reason), outcome);
  }

  private findMove(): string | undefined {
    const reason = this.findFileProblem();
    if (reason !== undefined && !this.hasLoggedMove) this.logger.error(`Writes are refused: ${reason}.`);
    this.hasLoggedMove = reason !== undefined;
    return reason;
  }

  private async begin(deadline: number): Promise<void> {
    for (;;) {
      try {
        this.statements.run(BEGIN);
        return;
      } catch (error) {
        if (!readFailure(error).code?.startsWith('SQLITE_BUSY')) throw translateDatabaseError(error);
        if (performance.now() > deadline) throw new DatabaseUnavailableError(error);
        await systemTimers.sleep(LOCK_RETRY_MILLISECONDS);
      }
    }
  }
}

/**
 * Notes the files of an open database, which has been read, so that its write-ahead log exists.
 * @returns a function that tells why a restart would not find what is written now, undefined if it would. It takes two system calls, some
 *   microseconds.
 */
function watchFiles(path: string): () => string | undefined {
  const opened = [path, `${path}-wal`].map((file) => [file, identify(file)] as const);
  return () => {
    const change = opened.find(([file, identity]) => identify(file) !== identity);
    if (!change) return undefined;
    const kind = identify(change[0]) === undefined ? 'removed or moved' : 'replaced';
    return `${change[0]} was ${kind} while the service uses it, so what is written would be lost: put it back, or restart the service`;
  };
}

/** Device and inode tell a file from every other one, whatever names it has. */
function identify(file: string): string | undefined {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev} ${found.ino}`;
}
