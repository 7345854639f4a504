import type { QueryRunner } from 'typeorm';
import { getDialect, ForwardMigration, type Migration } from '#libs/database';

/** The log, the counters that order it, and the idempotency keys that commit with it. */
export class CreateEventLog1767225600000 extends ForwardMigration {
  async up(queryRunner: QueryRunner): Promise<void> {
    const dialect = getDialect(queryRunner);
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

/** The newest position of each event type that a log already holds; later ones are noted as they are appended. */
export class NotePositionsOfEventTypes1767226400000 extends ForwardMigration {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `INSERT INTO "sequences" ("name", "last_value") SELECT 'type:' || "type", max("position") FROM "events" GROUP BY "type"`,
    );
  }
}

/**
 * Has PostgreSQL look up the version before an appended one by the index. Its figures of a log that grows fast are behind the log, by
 * which reading all of it seemed cheaper: an append to a stream that exists then cost as much as the log is long.
 */
class LookUpStreamVersions1767226700000 extends ForwardMigration {
  async up(queryRunner: QueryRunner): Promise<void> {
    if (getDialect(queryRunner).name !== 'postgres') return;
    await queryRunner.query(`ALTER FUNCTION "refuse_disorder_of_events"() SET enable_seqscan = off`);
  }
}

/** The states of long streams, so that a process that reads one first need not fold all of it. Made again from the log where they are lost. */
class CreateStreamStates1767227000000 extends ForwardMigration {
  async up(queryRunner: QueryRunner): Promise<void> {
    const { int64, text } = getDialect(queryRunner).columnTypes;
    await queryRunner.query(
      `CREATE TABLE "stream_states" (
         "stream_id" ${text} NOT NULL,
         "form" ${text} NOT NULL,
         "version" ${int64} NOT NULL,
         "event_id" ${text} NOT NULL,
         "state" ${text} NOT NULL,
         PRIMARY KEY ("stream_id", "form")
       )`,
    );
  }
}

/** The migrations of the log, oldest first. */
export const eventStoreMigrations: readonly Migration[] = [
  CreateEventLog1767225600000,
  NotePositionsOfEventTypes1767226400000,
  LookUpStreamVersions1767226700000,
  CreateStreamStates1767227000000,
];
