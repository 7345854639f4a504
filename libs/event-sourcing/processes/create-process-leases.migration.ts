import type { QueryRunner } from 'typeorm';
import { getDialect, ForwardMigration, type Migration } from '#libs/database';

/** The table of the leases of timeouts, which mean nothing in another database. */
export const LEASES_TABLE = 'process_leases';

/** Which instance fires which timeouts, and until when, in milliseconds since 1970. */
export class CreateProcessLeases1767226600000 extends ForwardMigration {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { int64, text } = getDialect(queryRunner).columnTypes;
    await queryRunner.query(
      `CREATE TABLE "process_leases" (
         "name" ${text} PRIMARY KEY,
         "holder" ${text} NOT NULL,
         "held_until" ${int64} NOT NULL
       )`,
    );
  }
}

export const processMigrations: readonly Migration[] = [CreateProcessLeases1767226600000];
