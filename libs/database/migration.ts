import type { MigrationInterface, QueryRunner } from 'typeorm';
import type { Dialect } from './sql.js';

/** A migration that is never undone: a database goes back to an earlier build by restoring a backup from before it. */
export interface Migration {
  /** Stored in the database. Ends in the 13-digit time of its writing, which orders the migrations. */
  readonly name: string;
  /** Returns its statements in order. They run in one transaction with those of all other pending migrations. */
  readonly statements: (dialect: Dialect) => readonly string[];
}

/** Returns a migration as the class that TypeORM expects. */
export function migrationClass({ name, statements }: Migration, dialect: Dialect): new () => MigrationInterface {
  return class implements MigrationInterface {
    readonly name = name;

    async up(queryRunner: QueryRunner): Promise<void> {
      for (const statement of statements(dialect)) await queryRunner.query(statement);
    }

    /** TypeORM asks every migration for it. @throws Error always */
    down(): Promise<void> {
      throw new Error(`${name} cannot be undone: restore a backup from before it.`);
    }
  };
}
