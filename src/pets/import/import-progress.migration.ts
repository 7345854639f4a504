import { getDialect, ForwardMigration } from '#libs/database';
import type { QueryRunner } from 'typeorm';

/** How far each import has come, so that an interrupted one can be continued. */
export class CreateImportProgress1767225900000 extends ForwardMigration {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { int64, text } = getDialect(queryRunner).columnTypes;
    await queryRunner.query(
      `CREATE TABLE "import_progress" (
         "batch" ${text} NOT NULL PRIMARY KEY,
         "records_done" ${int64} NOT NULL,
         "digest" ${text} NOT NULL,
         "updated_at" ${int64} NOT NULL
       )`,
    );
  }
}

/** When an import came to its end, so that what is finished can be forgotten one day and what is not can be continued. */
export class NoteFinishedImports1767226500000 extends ForwardMigration {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { int64 } = getDialect(queryRunner).columnTypes;
    await queryRunner.query(`ALTER TABLE "import_progress" ADD COLUMN "finished_at" ${int64} NULL`);
  }
}
