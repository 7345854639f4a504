import type { QueryRunner } from 'typeorm';
import { dialectOf, ForwardMigration } from '#libs/database';

/** With what messages to endpoints are signed: what no event may hold. */
export class CreateWebhookSecrets1767226800000 extends ForwardMigration {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { int64 } = dialectOf(queryRunner).columnTypes;
    await queryRunner.query(
      `CREATE TABLE "webhook_secrets" (
        "webhook_id" ${int64} NOT NULL,
        "secret" text NOT NULL,
        "created_at" ${int64} NOT NULL,
        "valid_until" ${int64},
        PRIMARY KEY ("webhook_id", "secret")
      )`,
    );
  }
}
