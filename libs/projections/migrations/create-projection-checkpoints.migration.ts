import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from '#libs/database';

/** How far each projection is, and which rebuild of it is under way. */
export class CreateProjectionCheckpoints1767225600001 implements MigrationInterface {
  readonly name = 'CreateProjectionCheckpoints1767225600001';

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

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE "projection_checkpoints"');
  }
}
