import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dialectOf } from '#libs/database';

/** When each API key was last used. */
export class CreateApiKeyUses1767226300000 implements MigrationInterface {
  readonly name = 'CreateApiKeyUses1767226300000';

  async up(queryRunner: QueryRunner): Promise<void> {
    const { int64 } = dialectOf(queryRunner).columnTypes;
    await queryRunner.query(`CREATE TABLE "api_key_uses" ("key_id" ${int64} PRIMARY KEY, "last_used_at" ${int64} NOT NULL)`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE "api_key_uses"');
  }
}
