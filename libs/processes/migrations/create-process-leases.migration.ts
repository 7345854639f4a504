import type { QueryRunner } from 'typeorm';
import { dialectOf, ForwardMigration } from '#libs/database';

/** Which instance does what for now, and until when, in milliseconds since 1970. */
export class CreateProcessLeases1767226600000 extends ForwardMigration {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { int64, text } = dialectOf(queryRunner).columnTypes;
    await queryRunner.query(
      `CREATE TABLE "process_leases" (
         "name" ${text} PRIMARY KEY,
         "holder" ${text} NOT NULL,
         "held_until" ${int64} NOT NULL
       )`,
    );
  }
}
