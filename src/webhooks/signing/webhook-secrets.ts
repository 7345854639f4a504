import { Injectable } from '@nestjs/common';
import { Clock } from '#libs/clock';
import { Database, insertRows, raw, sql, type WriteTransaction } from '#libs/database';
import type { RetentionRule } from '#libs/operations';

export const WEBHOOK_SECRETS = 'webhook_secrets';

const TABLE = raw(`"${WEBHOOK_SECRETS}"`);

/** Removes secrets once they sign no longer. */
export const webhookSecretRetention: RetentionRule = {
  table: WEBHOOK_SECRETS,
  key: ['webhook_id', 'secret'],
  storedAt: 'valid_until',
  keepFor: 0,
};

/** The secrets of endpoints, which are nowhere else. One of each endpoint has no end, one other at most ends some day. */
@Injectable()
export class WebhookSecrets {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** With what a message to the endpoint is signed now, the newest first; nothing where there is no such endpoint. */
  async current(webhookId: bigint): Promise<readonly string[]> {
    const rows = await this.database.reader.query<{ secret: string }>(
      sql`SELECT "secret" FROM ${TABLE}
          WHERE "webhook_id" = ${webhookId} AND ("valid_until" IS NULL OR "valid_until" > ${this.clock.now().getTime()})
          ORDER BY CASE WHEN "valid_until" IS NULL THEN 0 ELSE 1 END`,
    );
    return rows.map(({ secret }) => secret);
  }

  /** Stores the first secret of an endpoint, in the transaction that registers it. */
  async begin(transaction: WriteTransaction, webhookId: bigint, secret: string): Promise<void> {
    const rows = [[webhookId, secret, this.clock.now().getTime(), null]];
    await insertRows(transaction, { table: TABLE, columns: ['webhook_id', 'secret', 'created_at', 'valid_until'], rows });
  }

  /** Stores a new secret; the one so far ends at that moment, at once where that is null, and an older one at once. */
  async rotate(
    transaction: WriteTransaction,
    webhookId: bigint,
    { secret, previousValidUntil }: { readonly secret: string; readonly previousValidUntil: Date | null },
  ): Promise<void> {
    const ended = previousValidUntil ? sql`AND "valid_until" IS NOT NULL` : sql``;
    await transaction.query(sql`DELETE FROM ${TABLE} WHERE "webhook_id" = ${webhookId} ${ended}`);
    if (previousValidUntil) {
      await transaction.query(sql`UPDATE ${TABLE} SET "valid_until" = ${previousValidUntil.getTime()} WHERE "webhook_id" = ${webhookId}`);
    }
    await this.begin(transaction, webhookId, secret);
  }

  /** Removes all secrets of an endpoint, in the transaction that deletes it. */
  async remove(transaction: WriteTransaction, webhookId: bigint): Promise<void> {
    await transaction.query(sql`DELETE FROM ${TABLE} WHERE "webhook_id" = ${webhookId}`);
  }
}
