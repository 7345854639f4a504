import type { Migration } from '#libs/database';

/** The migrations of the log, the projections, the leases and the followers. */
export const eventSourcingMigrations: readonly Migration[] = [
  /** The log, the counters that order it, and the idempotency keys that commit with it. */
  {
    name: 'CreateEventLog1767225600000',
    statements: ({ orderCheck, appendOnlyLog, columnTypes: { int64, text } }) => [
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
    ],
  },
  /** Creates nothing: its table had one checkpoint for all versions of a projection, and the next migration replaces it. */
  {
    name: 'CreateProjectionCheckpoints1767225600001',
    statements: () => [],
  },
  /** The newest position of each event type that a log already holds; later ones are noted as they are appended. */
  {
    name: 'NotePositionsOfEventTypes1767226400000',
    statements: () => [
      `INSERT INTO "sequences" ("name", "last_value") SELECT 'type:' || "type", max("position") FROM "events" GROUP BY "type"`,
    ],
  },
  /**
   * One checkpoint for each version of a projection. What tables without a version held is not taken over: each projection builds
   * its tables again from the log.
   */
  {
    name: 'VersionProjectionCheckpoints1767226400001',
    statements: ({ columnTypes: { int64, text } }) => [
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
    ],
  },
  /** Which instance fires which timeouts, and until when, in milliseconds since 1970. */
  {
    name: 'CreateProcessLeases1767226600000',
    statements: ({ columnTypes: { int64, text } }) => [
      `CREATE TABLE "process_leases" (
         "name" ${text} PRIMARY KEY,
         "holder" ${text} NOT NULL,
         "held_until" ${int64} NOT NULL
       )`,
    ],
  },
  /** Changes nothing: a later migration defines the check that it was about. */
  {
    name: 'LookUpStreamVersions1767226700000',
    statements: () => [],
  },
  /** The states of long streams, so that a process that first reads one need not fold all of it. Lost ones are made again from the log. */
  {
    name: 'CreateStreamStates1767227000000',
    statements: ({ columnTypes: { int64, text } }) => [
      `CREATE TABLE "stream_states" (
         "stream_id" ${text} NOT NULL,
         "form" ${text} NOT NULL,
         "version" ${int64} NOT NULL,
         "event_id" ${text} NOT NULL,
         "state" ${text} NOT NULL,
         PRIMARY KEY ("stream_id", "form")
       )`,
    ],
  },
  /** How far each follower is, when it tries a failed event again, and which instance calls it. Times are milliseconds since 1970. */
  {
    name: 'CreateEventFollowers1767227100000',
    statements: ({ columnTypes: { int64, text } }) => [
      `CREATE TABLE "event_followers" (
         "name" ${text} PRIMARY KEY,
         "position" ${int64} NOT NULL,
         "failures" ${int64} NOT NULL,
         "retry_at" ${int64} NOT NULL,
         "holder" ${text} NOT NULL,
         "held_until" ${int64} NOT NULL
       )`,
    ],
  },
  /** What text indexes of projections need of the server, by the role that migrates, which may do more than the one that serves. */
  {
    name: 'PrepareTextSearch1767227200000',
    statements: ({ textSearch }) => textSearch.preparation,
  },
  /** Makes an append cost the same however long the log is: PostgreSQL shared the look at the newest positions of a long one among processes. */
  {
    name: 'LookUpNewestPositions1767227300000',
    statements: ({ orderCheck }) => orderCheck,
  },
];
