import type { QueryRunner } from 'typeorm';
import { dialectOf, ForwardMigration } from '#libs/database';

/** How far each projection is, and which rebuild of it is under way. */
export class CreateProjectionCheckpoints1767225600001 extends ForwardMigration {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { int64, text } = dialectOf(queryRunner).columnTypes;
    await queryRunner.query(
      `CREATE TABLE "projection_checkpoints" (
         "name" ${text} PRIMARY KEY,
         "version" ${int64} NOT NULL,
         "generation" ${int64} NOT NULL,
         "position" ${int64} NOT NULL,
         "rebuild_id" ${text} NULL
       )`,
    );
  }
}
