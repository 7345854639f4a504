import type { QueryRunner } from 'typeorm';
import type { DatabaseLocation } from '../database-url.js';
import type { Dialect } from '../dialect.js';
import type { DatabaseEngine } from '../engine.js';
import { PostgresEngine } from '../postgres/postgres-engine.js';
import { translatePostgresError } from '../postgres/postgres-errors.js';
import { postgresDialect } from '../postgres/postgres.dialect.js';
import { SqliteEngine } from '../sqlite/sqlite-engine.js';
import { translateSqliteError } from '../sqlite/sqlite-errors.js';
import { sqliteDialect } from '../sqlite/sqlite.dialect.js';

/** The engine for the database of a location. */
export function engineOf(location: DatabaseLocation): DatabaseEngine {
  return location.kind === 'postgres' ? new PostgresEngine(location) : new SqliteEngine(location);
}

/** The dialect of the database that a migration runs on. */
export function dialectOf(queryRunner: QueryRunner): Dialect {
  const { type } = queryRunner.dataSource.options;
  if (type === 'better-sqlite3') return sqliteDialect;
  if (type === 'postgres') return postgresDialect;
  throw new Error(`There is no dialect for ${type}.`);
}

/**
 * What a repository of TypeORM threw, as the service knows it: DatabaseUnavailableError for what is wrong with the database
 * or the way to it, anything else as it is.
 */
export function translateDatabaseError(error: unknown): unknown {
  return translatePostgresError(translateSqliteError(error));
}
