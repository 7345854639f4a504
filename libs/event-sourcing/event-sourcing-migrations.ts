import { ForwardMigration, type Dialect, type Migration } from '#libs/database';

/** The log, the counters that order it, and the idempotency keys that commit with it. */
class CreateEventLog1767225600000 extends ForwardMigration {
  protected statements({ orderCheck, appendOnlyLog, columnTypes: { int64, text } }: Dialect): string[] {
    return [
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
      ...orderCheck,
      ...appendOnlyLog,
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
  }
}

/** The newest position of each event type that a log already holds; later ones are noted as they are appended. */
class NotePositionsOfEventTypes1767226400000 extends ForwardMigration {
  protected statements(): string[] {
    return [`INSERT INTO "sequences" ("name", "last_value") SELECT 'type:' || "type", max("position") FROM "events" GROUP BY "type"`];
  }
}

/** Changes nothing: a later migration defines the check that it was about. */
class LookUpStreamVersions1767226700000 extends ForwardMigration {
  protected statements(): string[] {
    return [];
  }
}

/** The states of long streams, so that a process that first reads one need not fold all of it. Lost ones are made again from the log. */
class CreateStreamStates1767227000000 extends ForwardMigration {
  protected statements({ columnTypes: { int64, text } }: Dialect): string[] {
    return [
      `CREATE TABLE "stream_states" (
         "stream_id" ${text} NOT NULL,
         "form" ${text} NOT NULL,
         "version" ${int64} NOT NULL,
         "event_id" ${text} NOT NULL,
         "state" ${text} NOT NULL,
         PRIMARY KEY ("stream_id", "form")
       )`,
    ];
  }
}

/** Creates nothing: its table had one checkpoint for all versions of a projection, and the next migration replaces it. */
class CreateProjectionCheckpoints1767225600001 extends ForwardMigration {
  protected statements(): string[] {
    return [];
  }
}

/**
 * One checkpoint for each version of a projection. What tables without a version held is not taken over: each projection builds
 * its tables again from the log.
 */
class VersionProjectionCheckpoints1767226400001 extends ForwardMigration {
  protected statements({ columnTypes: { int64, text } }: Dialect): string[] {
    return [
      'DROP TABLE IF EXISTS "projection_checkpoints"',
      `CREATE TABLE "projection_checkpoints" (
         "name" ${text} NOT NULL,
         "version" ${int64} NOT NULL,
         "generation" ${int64} NOT NULL,
         "position" ${int64} NOT NULL,
         "rebuild_id" ${text} NULL,
         "rebuild_position" ${int64} NOT NULL,
         "tables" ${text} NOT NULL,
         PRIMARY KEY ("name", "version")
       )`,
    ];
  }
}

/** Which instance fires which timeouts, and until when, in milliseconds since 1970. */
class CreateProcessLeases1767226600000 extends ForwardMigration {
  protected statements({ columnTypes: { int64, text } }: Dialect): string[] {
    return [
      `CREATE TABLE "process_leases" (
         "name" ${text} PRIMARY KEY,
         "holder" ${text} NOT NULL,
         "held_until" ${int64} NOT NULL
       )`,
    ];
  }
}

/** How far each follower is, when it tries a failed event again, and which instance calls it. Times are milliseconds since 1970. */
class CreateEventFollowers1767227100000 extends ForwardMigration {
  protected statements({ columnTypes: { int64, text } }: Dialect): string[] {
    return [
      `CREATE TABLE "event_followers" (
         "name" ${text} PRIMARY KEY,
         "position" ${int64} NOT NULL,
         "failures" ${int64} NOT NULL,
         "retry_at" ${int64} NOT NULL,
         "holder" ${text} NOT NULL,
         "held_until" ${int64} NOT NULL
       )`,
    ];
  }
}

/** What text indexes of projections need of the server, by the role that migrates, which may do more than the one that serves. */
class PrepareTextSearch1767227200000 extends ForwardMigration {
  protected statements({ textSearch }: Dialect): readonly string[] {
    return textSearch.preparation;
  }
}

/** Makes an append cost the same however long the log is: PostgreSQL shared the look at the newest positions of a long one among processes. */
class LookUpNewestPositions1767227300000 extends ForwardMigration {
  protected statements({ orderCheck }: Dialect): readonly string[] {
    return orderCheck;
  }
}

/** The migrations of the log, the projections, the leases and the followers. */
export const eventSourcingMigrations: readonly Migration[] = [
  CreateEventLog1767225600000,
  CreateProjectionCheckpoints1767225600001,
  NotePositionsOfEventTypes1767226400000,
  VersionProjectionCheckpoints1767226400001,
  CreateProcessLeases1767226600000,
  LookUpStreamVersions1767226700000,
  CreateStreamStates1767227000000,
  CreateEventFollowers1767227100000,
  PrepareTextSearch1767227200000,
  LookUpNewestPositions1767227300000,
];
