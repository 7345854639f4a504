import type { Database as SqliteConnection, Statement } from 'better-sqlite3';
import { LRUCache } from 'lru-cache';
import { QueryFailedError, type DataSource, type DataSourceOptions } from 'typeorm';
import { cliCommand } from '#libs/observability';
import type { SqlRunner } from '../database.js';
import { DatabaseUnavailableError } from '../database.errors.js';
import type { ConnectionPurpose } from '../engine.js';
import { render, type SqlFragment } from '../sql.js';
import { traceStatement } from '../traced-statements.js';
import { sqliteDialect } from './sqlite.dialect.js';

// A lock is waited for synchronously: fine for a command, never inside the service's event loop.
const BUSY_TIMEOUT_MILLISECONDS: Record<ConnectionPurpose, number> = { service: 0, cli: 10_000 };
// Nothing is served yet while a connection is set up, so it may wait for another process.
const SET_UP_TIMEOUT_MILLISECONDS = 10_000;
// More than the service has; statements of which each one differs evict the least recently used.
const MOST_STATEMENTS = 200;

const UNAVAILABLE = /^SQLITE_(?:BUSY|LOCKED|FULL|IOERR|READONLY|CORRUPT|NOTADB|CANTOPEN|NOMEM)/;
const RESTORE = `Restore a backup; "${cliCommand('doctor --full')}" says more.`;

/** What an operator is told about a database file that no service can be started on. The first code that matches counts. */
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

/** Options of the connection that writes. Every commit is synced to disk before it is acknowledged. */
export function writeConnectionOptions(path: string, purpose: ConnectionPurpose) {
  return {
    type: 'better-sqlite3',
    database: path,
    timeout: BUSY_TIMEOUT_MILLISECONDS[purpose],
    prepareDatabase: (connection: SqliteConnection) => {
      connection.defaultSafeIntegers(true);
      connection.pragma(`busy_timeout = ${SET_UP_TIMEOUT_MILLISECONDS}`);
      connection.pragma('journal_mode = WAL');
      connection.pragma('synchronous = FULL');
      connection.pragma(`busy_timeout = ${BUSY_TIMEOUT_MILLISECONDS[purpose]}`);
    },
  } as const satisfies DataSourceOptions;
}

/** Options of a connection that cannot write. The file must exist. */
export function readConnectionOptions(path: string, purpose: ConnectionPurpose) {
  return {
    type: 'better-sqlite3',
    database: path,
    readonly: true,
    timeout: BUSY_TIMEOUT_MILLISECONDS[purpose],
    prepareDatabase: (connection: SqliteConnection) => {
      connection.defaultSafeIntegers(true);
    },
  } as const satisfies DataSourceOptions;
}

/** Returns SQLite's result code, such as `SQLITE_BUSY`, also of an error that TypeORM has wrapped. */
export function sqliteCode(error: unknown): string | undefined {
  const driverError: unknown = error instanceof QueryFailedError ? error.driverError : error;
  if (typeof driverError !== 'object' || driverError === null || !('code' in driverError)) return undefined;
  return typeof driverError.code === 'string' ? driverError.code : undefined;
}

/** Turns an error of the file or its lock into DatabaseUnavailableError; returns others as they are. */
export function translateSqliteError(error: unknown): unknown {
  const code = sqliteCode(error);
  return code !== undefined && UNAVAILABLE.test(code) ? new DatabaseUnavailableError(error) : error;
}

/** Explains to an operator what is wrong with which file, and what to do; returns other errors as they are. */
export function explainStartFailure(path: string, error: unknown): unknown {
  const code = sqliteCode(error);
  const explanation = code === undefined ? undefined : EXPLANATIONS.find(([pattern]) => pattern.test(code))?.[1];
  if (explanation === undefined) return error;
  return new Error(`${explanation(path)} (${error instanceof Error ? error.message : String(error)})`, { cause: error });
}

/**
 * The statements of one connection by their text, prepared once. Preparing took 9 µs of the 13 that a page of 20 rows took through
 * TypeORM. A statement still works after its tables are renamed or created again.
 */
export class PreparedStatements {
  private readonly statements = new LRUCache<string, Statement>({ max: MOST_STATEMENTS });
  private readonly connection: SqliteConnection;

  /** @param source must be open */
  constructor(source: DataSource) {
    ({ databaseConnection: this.connection } = source.driver as unknown as { readonly databaseConnection: SqliteConnection });
  }

  /** Runs a statement. Returns its rows; none for one that only changes something. */
  run(text: string, parameters: readonly unknown[] = []): unknown[] {
    let statement = this.statements.get(text);
    if (!statement) {
      statement = this.connection.prepare(text);
      this.statements.set(text, statement);
    }
    if (statement.reader) return statement.all(...parameters);
    statement.run(...parameters);
    return [];
  }
}

/** Runs statements on one SQLite connection. */
export class SqliteRunner implements SqlRunner {
  readonly dialect = sqliteDialect;

  private failed: { readonly error: unknown } | undefined;

  /** @param stopsAtFailure in a transaction each statement after a failed one fails with its error, as on PostgreSQL */
  constructor(
    private readonly statements: PreparedStatements,
    private readonly stopsAtFailure = false,
  ) {}

  /** @throws the error of the statement that failed, if one did. */
  assertNoFailure(): void {
    if (this.failed) throw this.failed.error;
  }

  async query<Row extends object>(statement: SqlFragment): Promise<Row[]> {
    this.assertNoFailure();
    const { text, parameters } = render(statement, sqliteDialect);
    try {
      return traceStatement('sqlite', text, () => this.statements.run(text, parameters)) as Row[];
    } catch (error) {
      const translated = translateSqliteError(error);
      if (this.stopsAtFailure) this.failed = { error: translated };
      throw translated;
    }
  }
}
