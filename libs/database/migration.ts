import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A migration class; its name ends in the 13-digit time of its writing, which orders the list. */
export type Migration = new () => MigrationInterface;

/** A migration that is never undone: a database goes back to an earlier build by restoring a backup from before it. */
export abstract class ForwardMigration implements MigrationInterface {
  /** Runs in one transaction with all others that are pending. */
  abstract up(queryRunner: QueryRunner): Promise<void>;

  /** TypeORM asks every migration for it. @throws Error always */
  down(): Promise<void> {
    throw new Error(`${this.constructor.name} cannot be undone: restore a backup from before it.`);
  }
}
