import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from '#libs/database';

/** How far each import has come, so that an interrupted one can be continued. */
export class CreateImportProgress1767225900000 implements MigrationInterface {
  readonly name = 'CreateImportProgress1767225900000';

  async up(queryRunner: QueryRunner): Promise<void> {
    const { int64, text } = dialectOf(queryRunner).columnTypes;
    await queryRunner.query(
      `CREATE TABLE "import_progress" (
         "batch" ${text} NOT NULL PRIMARY KEY,
         "records_done" ${int64} NOT NULL,
         "digest" ${text} NOT NULL,
         "updated_at" ${int64} NOT NULL
       )`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE "import_progress"');
  }
}
