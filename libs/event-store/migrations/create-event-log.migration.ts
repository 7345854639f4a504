import type { QueryRunner } from 'typeorm';
import { dialectOf, ForwardMigration } from '#libs/database';

/** The log, the counters that order it, and the idempotency keys that commit with it. */
export class CreateEventLog1767225600000 extends ForwardMigration {
  async up(queryRunner: QueryRunner): Promise<void> {
    const dialect = dialectOf(queryRunner);
    const { int64, text } = dialect.columnTypes;
    const statements = [
      `CREATE TABLE "events" (
         "position" ${int64} PRIMARY KEY,
         "stream_id" ${text} NOT NULL,
         "stream_version" ${int64} NOT NULL,
         "event_id" ${text} NOT NULL,
         "type" ${text} NOT NULL,
         "schema_version" ${int64} NOT NULL,
         "data" ${text} NOT NULL,
         "metadata" ${text} NOT NULL,
         "recorded_at" ${int64} NOT NULL,
         CONSTRAINT "events_stream" UNIQUE ("stream_id", "stream_version")
       )`,
      `CREATE INDEX "events_type" ON "events" ("type", "position")`,
      ...dialect.appendOnlyLog,
      `CREATE TABLE "sequences" ("name" ${text} PRIMARY KEY, "last_value" ${int64} NOT NULL)`,
      `CREATE TABLE "idempotency_keys" (
         "scope" ${text} NOT NULL,
         "key" ${text} NOT NULL,
         "fingerprint" ${text} NOT NULL,
         "first_position" ${int64} NOT NULL,
         "last_position" ${int64} NOT NULL,
         "created_at" ${int64} NOT NULL,
         PRIMARY KEY ("scope", "key")
       )`,
      `CREATE INDEX "idempotency_keys_age" ON "idempotency_keys" ("created_at")`,
    ];
    for (const statement of statements) await queryRunner.query(statement);
  }
}
