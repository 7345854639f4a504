import type { DataSource } from 'typeorm';
import type { SqlRunner } from '../database.js';
import { render, type SqlFragment } from '../sql.js';
import { sqliteDialect } from './sqlite.dialect.js';
import { translateSqliteError } from './sqlite-errors.js';

/** Runs statements on one SQLite connection. */
export class SqliteRunner implements SqlRunner {
  readonly dialect = sqliteDialect;

  constructor(private readonly dataSource: DataSource) {}

  async query<Row extends object>(statement: SqlFragment): Promise<Row[]> {
    const { text, parameters } = render(statement, sqliteDialect.placeholder);
    try {
      return await this.dataSource.query<Row[]>(text, parameters);
    } catch (error) {
      throw translateSqliteError(error);
    }
  }
}
