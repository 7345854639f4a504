import type { MigrationInterface, QueryRunner } from 'typeorm';
import { postgresDialect } from '../postgres/postgres.dialect.js';
import type { Dialect } from '../sql.js';
import { sqliteDialect } from '../sqlite/sqlite.dialect.js';

/** A migration that is never undone: a database goes back to an earlier build by restoring a backup from before it. */
export abstract class ForwardMigration implements MigrationInterface {
  /** Returns its statements in order. They run in one transaction with those of all other pending migrations. */
  protected abstract statements(dialect: Dialect): readonly string[];

  async up(queryRunner: QueryRunner): Promise<void> {
    const dialect = queryRunner.dataSource.options.type === 'postgres' ? postgresDialect : sqliteDialect;
    for (const statement of this.statements(dialect)) await queryRunner.query(statement);
  }

  /** TypeORM asks every migration for it. @throws Error always */
  down(): Promise<void> {
    throw new Error(`${this.constructor.name} cannot be undone: restore a backup from before it.`);
  }
}
