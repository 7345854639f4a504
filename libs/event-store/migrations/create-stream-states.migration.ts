import type { QueryRunner } from 'typeorm';
import { dialectOf, ForwardMigration } from '#libs/database';

/** The states of long streams, so that a process that reads one first need not fold all of it. Made again from the log where they are lost. */
export class CreateStreamStates1767227000000 extends ForwardMigration {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { int64, text } = dialectOf(queryRunner).columnTypes;
    await queryRunner.query(
      `CREATE TABLE "stream_states" (
         "stream_id" ${text} NOT NULL,
         "form" ${text} NOT NULL,
         "version" ${int64} NOT NULL,
         "event_id" ${text} NOT NULL,
         "state" ${text} NOT NULL,
         PRIMARY KEY ("stream_id", "form")
       )`,
    );
  }
}
