import type { QueryRunner } from 'typeorm';
import { dialectOf, ForwardMigration } from '#libs/database';

/** When an import came to its end, so that what is finished can be forgotten one day and what is not can be continued. */
export class NoteFinishedImports1767226500000 extends ForwardMigration {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { int64 } = dialectOf(queryRunner).columnTypes;
    await queryRunner.query(`ALTER TABLE "import_progress" ADD COLUMN "finished_at" ${int64} NULL`);
  }
}
