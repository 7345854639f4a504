import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { Database as SqliteConnection, Statement } from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import { DataSource } from 'typeorm';
import { systemTimers } from '#libs/observability';
import { Database } from '../database.js';
import type { Committing, DatabaseFault, SqlRunner, TransactionOptions, TransactionWork, WriteTransaction } from '../database.js';
import { DatabaseUnavailableError } from '../database.errors.js';
import type { ConnectionPurpose, DataSources } from '../engine.js';
import { render, type SqlFragment } from '../sql.js';
import { traceStatement } from '../traced-statements.js';
import { checkFileSoon } from './file-check.js';
import { OpenDatabaseFile } from './database-file.js';
import { connectionOptions, sqliteCode, translateSqliteError, WRITE_AHEAD_LOG_BYTES } from './sqlite-connection.js';
import { sqliteDialect } from './sqlite.dialect.js';

/** Enough for a few appends. */
const MIN_FREE_BYTES = 128 * 1_024;
const LOCK_RETRY_MILLISECONDS = 2;
const LOG_CHECK_MILLISECONDS = 10_000;
// More than the service has; if statements always differ, the least recently used one is evicted.
const MAX_STATEMENTS = 200;
/** Takes the write lock at once; a deferred transaction would fail at its first write. */
const BEGIN = 'BEGIN IMMEDIATE';

/**
 * A database file with one connection that writes and one that only reads. TypeORM gives every caller the same query runner on SQLite, so
 * transactions of two callers would mix: the queue of `Database` is the only user of the writing connection.
 */
export class SqliteDatabase extends Database implements OnApplicationShutdown {
  readonly dialect = sqliteDialect;
  readonly maxWaitMilliseconds = 5_000;
  readonly reader: SqlRunner;
  private readonly statements: PreparedStatements;
  private readonly readStatements: PreparedStatements;
  private readonly file: OpenDatabaseFile;
  private readonly shutdown = new AbortController();
  private hasLoggedMove = false;

  constructor(
    private readonly path: string,
    { write, read }: DataSources,
    purpose: ConnectionPurpose,
  ) {
    super();
    this.statements = new PreparedStatements(write);
    this.readStatements = new PreparedStatements(read);
    // Which opens the write-ahead log.
    this.readStatements.run('SELECT 1 FROM "sqlite_master"');
    this.file = new OpenDatabaseFile(path);
    this.reader = new SqliteRunner(this.readStatements, false, (error) => this.noteFailure(error));
    if (purpose !== 'service') return;
    void checkFileSoon(path, this.shutdown.signal, (finding) => this.noteCorruption(finding));
    void this.shrinkLogUntilShutdown(this.shutdown.signal);
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
      const transaction = new SqliteRunner(new PreparedStatements(source), true);
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
      return { result: await this.transaction(work, terms), durable: Promise.resolve() };
    } finally {
      if (!terms.durable) this.statements.run('PRAGMA synchronous = FULL');
    }
  }

  private async transaction<Result>(work: TransactionWork<Result>, { deadline, locked }: TransactionOptions): Promise<Result> {
    this.assertInPlace('unchanged');
    await traceStatement(this.dialect.name, BEGIN, () => this.begin(deadline));
    const transaction = new SqliteRunner(this.statements, true);
    let result: Result;
    try {
      locked();
      result = await work(transaction);
      transaction.assertNoFailure();
      traceStatement(this.dialect.name, 'COMMIT', () => this.statements.run('COMMIT'));
    } catch (error) {
      this.rollback();
      throw translateSqliteError(error);
    }
    this.assertInPlace('unknown');
    return result;
  }

  private async shrinkLogUntilShutdown(signal: AbortSignal): Promise<void> {
    for (;;) {
      await systemTimers.sleep(LOG_CHECK_MILLISECONDS, { signal, ref: false });
      if (signal.aborted) return;
      this.shrinkLog();
    }
  }

  /**
   * Empties a write-ahead log that a long reader has made large. Otherwise only the next write would give its room back. It changes nothing
   * while a reader or a writer is busy, and is tried again.
   */
  private shrinkLog(): void {
    try {
      const size = statSync(`${this.path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
      if (size > WRITE_AHEAD_LOG_BYTES) this.statements.run('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch (error) {
      this.noteFailure(error);
    }
  }

  /** @throws DatabaseUnavailableError if the next start would not find what this one writes. */
  private assertInPlace(outcome: DatabaseUnavailableError['outcome']): void {
    const reason = this.findMove();
    if (reason !== undefined) throw new DatabaseUnavailableError(new Error(reason), outcome);
  }

  private findMove(): string | undefined {
    const reason = this.file.findProblem();
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
        if (!sqliteCode(error)?.startsWith('SQLITE_BUSY')) throw translateSqliteError(error);
        if (performance.now() > deadline) throw new DatabaseUnavailableError(error);
        await systemTimers.sleep(LOCK_RETRY_MILLISECONDS);
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

interface PreparedStatement {
  readonly statement: Statement;
  /** The names of the columns of its rows; undefined if it has no rows. */
  readonly columns: readonly string[] | undefined;
}

/**
 * The statements of one connection by their text, prepared once. Preparing took 9 µs of the 13 that a page of 20 rows took through
 * TypeORM. A statement still works after its tables are renamed or created again.
 */
class PreparedStatements {
  private readonly statements = new LRUCache<string, PreparedStatement>({ max: MAX_STATEMENTS, memoMethod: (text) => this.prepare(text) });
  private readonly connection: SqliteConnection;

  /** @param source must be open */
  constructor(source: DataSource) {
    ({ databaseConnection: this.connection } = source.driver as unknown as { readonly databaseConnection: SqliteConnection });
  }

  /** Runs a statement. Returns its rows; none for one that only changes something. */
  run(text: string, parameters: readonly unknown[] = []): unknown[] {
    const { statement, columns } = this.statements.memo(text);
    if (columns) return statement.all(...parameters).map((values) => toRow(columns, values as readonly unknown[]));
    statement.run(...parameters);
    return [];
  }

  private prepare(text: string): PreparedStatement {
    const statement = this.connection.prepare(text);
    if (!statement.reader) return { statement, columns: undefined };
    return { statement: statement.raw(), columns: statement.columns().map(({ name }) => name) };
  }
}

/** Makes an object of a row, which takes the driver as long as everything else about it. */
function toRow(columns: readonly string[], values: readonly unknown[]): object {
  const row: Record<string, unknown> = {};
  columns.forEach((name, index) => (row[name] = values[index]));
  return row;
}

/** Runs statements on one SQLite connection. */
class SqliteRunner implements WriteTransaction {
  readonly dialect = sqliteDialect;

  private failed: { readonly error: unknown } | undefined;

  /**
   * @param inTransaction each statement after a failed one fails with its error, as on PostgreSQL
   * @param onFailure called with the error of each statement that failed
   */
  constructor(
    private readonly statements: PreparedStatements,
    private readonly inTransaction: boolean,
    private readonly onFailure: (error: unknown) => void = () => undefined,
  ) {}

  /** @throws the error of the statement that failed in the transaction, if one did. */
  assertNoFailure(): void {
    if (this.failed) throw this.failed.error;
  }

  execute(statement: SqlFragment): void {
    this.query(statement).catch(() => undefined);
  }

  async query<Row extends object>(statement: SqlFragment): Promise<Row[]> {
    this.assertNoFailure();
    const { text, parameters } = render(statement, sqliteDialect);
    try {
      return traceStatement('sqlite', text, () => this.statements.run(text, parameters)) as Row[];
    } catch (error) {
      const translated = translateSqliteError(error);
      if (this.inTransaction) this.failed = { error: translated };
      this.onFailure(translated);
      throw translated;
    }
  }
}
