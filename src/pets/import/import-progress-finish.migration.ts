import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from '#libs/database';

/** When an import came to its end, so that what is finished can be forgotten one day and what is not can be continued. */
export class NoteFinishedImports1767226500000 implements MigrationInterface {
  readonly name = 'NoteFinishedImports1767226500000';

  async up(queryRunner: QueryRunner): Promise<void> {
    const { int64 } = dialectOf(queryRunner).columnTypes;
    await queryRunner.query(`ALTER TABLE "import_progress" ADD COLUMN "finished_at" ${int64} NULL`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE "import_progress" DROP COLUMN "finished_at"');
  }
}
