import type { Migration } from '#libs/database';

/** The migrations of what is kept about endpoints beside the events. Times are in milliseconds since 1970. */
export const webhookMigrations: readonly Migration[] = [
  /** The secrets that sign the messages to endpoints, which no event may hold. */
  {
    name: 'CreateWebhookSecrets1767226800000',
    statements: ({ columnTypes: { int64 } }) => [
      `CREATE TABLE "webhook_secrets" (
        "webhook_id" ${int64} NOT NULL,
        "secret" text NOT NULL,
        "created_at" ${int64} NOT NULL,
        "valid_until" ${int64},
        PRIMARY KEY ("webhook_id", "secret")
      )`,
    ],
  },
  /** How far endpoints have come, which messages are due to them, and which were sent. */
  {
    name: 'CreateWebhookDeliveries1767226900000',
    statements: ({ columnTypes: { int64, text } }) => [
      `CREATE TABLE "webhook_progress" (
         "webhook_id" ${int64} PRIMARY KEY,
         "starts_after" ${int64} NOT NULL,
         "position" ${int64} NOT NULL,
         "replay_position" ${int64},
         "replay_until" ${int64},
         "failing_since" ${int64},
         "holder" ${text},
         "held_until" ${int64} NOT NULL
       )`,
      `CREATE TABLE "webhook_pending" (
         "webhook_id" ${int64} NOT NULL,
         "event_id" ${text} NOT NULL,
         "type" ${text} NOT NULL,
         "event_at" ${int64} NOT NULL,
         "attempt" ${int64} NOT NULL,
         "due_at" ${int64} NOT NULL,
         "delivery_id" ${int64},
         PRIMARY KEY ("webhook_id", "event_id")
       )`,
      `CREATE INDEX "webhook_pending_due" ON "webhook_pending" ("due_at")`,
      `CREATE TABLE "webhook_deliveries" (
         "id" ${int64} PRIMARY KEY,
         "webhook_id" ${int64} NOT NULL,
         "event_id" ${text} NOT NULL,
         "type" ${text} NOT NULL,
         "event_at" ${int64} NOT NULL,
         "attempt" ${int64} NOT NULL,
         "status" ${int64},
         "error" ${text},
         "duration_milliseconds" ${int64} NOT NULL,
         "attempted_at" ${int64} NOT NULL,
         "next_attempt_at" ${int64}
       )`,
      `CREATE INDEX "webhook_deliveries_of_endpoint" ON "webhook_deliveries" ("webhook_id", "id")`,
      `CREATE INDEX "webhook_deliveries_age" ON "webhook_deliveries" ("attempted_at")`,
      `CREATE TABLE "webhook_delivery_ids" ("name" ${text} PRIMARY KEY, "last_value" ${int64} NOT NULL)`,
      `INSERT INTO "webhook_delivery_ids" VALUES ('delivery', 0)`,
    ],
  },
];
