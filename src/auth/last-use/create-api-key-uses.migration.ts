import type { QueryRunner } from 'typeorm';
import { dialectOf, ForwardMigration } from '#libs/database';

/** When each API key was last used. */
export class CreateApiKeyUses1767226300000 extends ForwardMigration {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { int64 } = dialectOf(queryRunner).columnTypes;
    await queryRunner.query(`CREATE TABLE "api_key_uses" ("key_id" ${int64} PRIMARY KEY, "last_used_at" ${int64} NOT NULL)`);
  }
}
