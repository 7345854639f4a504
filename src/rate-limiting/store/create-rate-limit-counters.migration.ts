import type { QueryRunner } from 'typeorm';
import { dialectOf, ForwardMigration } from '#libs/database';

/** What each API key has used up, so that a restart does not give it back. */
export class CreateRateLimitCounters1767226200000 extends ForwardMigration {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { int64 } = dialectOf(queryRunner).columnTypes;
    await queryRunner.query(
      `CREATE TABLE "rate_limit_counters" (
         "key_id" ${int64} NOT NULL PRIMARY KEY,
         "minute" ${int64} NOT NULL,
         "minute_used" ${int64} NOT NULL,
         "day" ${int64} NOT NULL,
         "day_used" ${int64} NOT NULL,
         "refusal_minute" ${int64} NOT NULL,
         "first_refusal_at" ${int64} NOT NULL,
         "refusals" ${int64} NOT NULL
       )`,
    );
  }
}
