import type { SqlRunner } from '../database.js';
import { render, type SqlFragment } from '../sql.js';
import type { PreparedStatements } from './prepared-statements.js';
import { sqliteDialect } from './sqlite.dialect.js';
import { translateSqliteError } from './sqlite-errors.js';

/** Runs statements on one SQLite connection. */
export class SqliteRunner implements SqlRunner {
  readonly dialect = sqliteDialect;

  constructor(private readonly statements: PreparedStatements) {}

  async query<Row extends object>(statement: SqlFragment): Promise<Row[]> {
    const { text, parameters } = render(statement, sqliteDialect.placeholder);
    try {
      return this.statements.run(text, parameters) as Row[];
    } catch (error) {
      throw translateSqliteError(error);
    }
  }
}
