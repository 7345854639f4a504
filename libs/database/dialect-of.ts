import type { QueryRunner } from 'typeorm';
import type { Dialect } from './dialect.js';
import { postgresDialect } from './postgres/postgres.dialect.js';
import { sqliteDialect } from './sqlite/sqlite.dialect.js';

/** The dialect of the database that a migration runs on. */
export function dialectOf(queryRunner: QueryRunner): Dialect {
  const { type } = queryRunner.dataSource.options;
  if (type === 'better-sqlite3') return sqliteDialect;
  if (type === 'postgres') return postgresDialect;
  throw new Error(`There is no dialect for ${type}.`);
}
