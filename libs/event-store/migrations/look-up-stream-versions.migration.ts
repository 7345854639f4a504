import type { QueryRunner } from 'typeorm';
import { dialectOf, ForwardMigration } from '#libs/database';

/**
 * Has PostgreSQL look up the version before an appended one by the index. Its figures of a log that grows fast are behind the log, by
 * which reading all of it seemed cheaper: an append to a stream that exists then cost as much as the log is long.
 */
export class LookUpStreamVersions1767226700000 extends ForwardMigration {
  async up(queryRunner: QueryRunner): Promise<void> {
    if (dialectOf(queryRunner).name !== 'postgres') return;
    await queryRunner.query(`ALTER FUNCTION "refuse_disorder_of_events"() SET enable_seqscan = off`);
  }
}
