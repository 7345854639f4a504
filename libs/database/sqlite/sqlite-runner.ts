import type { SqlRunner } from '../database.js';
import { render, type SqlFragment } from '../sql.js';
import type { PreparedStatements } from './prepared-statements.js';
import { sqliteDialect } from './sqlite.dialect.js';
import { translateSqliteError } from './sqlite-errors.js';

/** Runs statements on one SQLite connection. */
export class SqliteRunner implements SqlRunner {
  readonly dialect = sqliteDialect;

  private failed: { readonly error: unknown } | undefined;

  /** `stopsAtFailure`: in a transaction a statement after one that failed is refused with its error, as PostgreSQL does. */
  constructor(
    private readonly statements: PreparedStatements,
    private readonly stopsAtFailure = false,
  ) {}

  /** @throws what the statement that failed threw, if one did. */
  refuseFailure(): void {
    if (this.failed) throw this.failed.error;
  }

  async query<Row extends object>(statement: SqlFragment): Promise<Row[]> {
    this.refuseFailure();
    const { text, parameters } = render(statement, sqliteDialect.placeholder);
    try {
      return this.statements.run(text, parameters) as Row[];
    } catch (error) {
      const translated = translateSqliteError(error);
      if (this.stopsAtFailure) this.failed = { error: translated };
      throw translated;
    }
  }
}
