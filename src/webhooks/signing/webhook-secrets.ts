import { Injectable } from '@nestjs/common';
import { Clock } from '#libs/clock';
import { Database, insertRows, raw, sql, type WriteTransaction } from '#libs/database';
import type { RetentionRule } from '#libs/operations';
import { TooManySecretsError } from '../domain/webhook.errors.js';

export const WEBHOOK_SECRETS = 'webhook_secrets';

const TABLE = raw(`"${WEBHOOK_SECRETS}"`);

/** Removes secrets once they sign no longer. */
export const webhookSecretRetention: RetentionRule = {
  table: WEBHOOK_SECRETS,
  key: ['webhook_id', 'secret'],
  storedAt: 'valid_until',
  keepFor: 0,
};

/** With how many secrets a message is signed at most. */
const MOST_SIGNING = 3;

/** The secrets of endpoints, which are nowhere else. One of each endpoint has no end; each of the others ends some day. */
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
          ORDER BY CASE WHEN "valid_until" IS NULL THEN 0 ELSE 1 END, "valid_until" DESC`,
    );
    return rows.map(({ secret }) => secret);
  }

  /** Stores the first secret of an endpoint, in the transaction that registers it. */
  async begin(transaction: WriteTransaction, webhookId: bigint, secret: string): Promise<void> {
    const rows = [[webhookId, secret, this.clock.now().getTime(), null]];
    await insertRows(transaction, { table: TABLE, columns: ['webhook_id', 'secret', 'created_at', 'valid_until'], rows });
  }

  /**
   * Stores a new secret. The one so far ends at that moment, and older ones when they were to end; where it is null, all of them end at once.
   * @throws TooManySecretsError where more than three would sign
   */
  async rotate(
    transaction: WriteTransaction,
    webhookId: bigint,
    { secret, previousValidUntil }: { readonly secret: string; readonly previousValidUntil: Date | null },
  ): Promise<void> {
    if (previousValidUntil) {
      await this.assertRoom(transaction, webhookId);
      await transaction.query(
        sql`UPDATE ${TABLE} SET "valid_until" = ${previousValidUntil.getTime()} WHERE "webhook_id" = ${webhookId} AND "valid_until" IS NULL`,
      );
    } else {
      await this.remove(transaction, webhookId);
    }
    await this.begin(transaction, webhookId, secret);
  }

  private async assertRoom(transaction: WriteTransaction, webhookId: bigint): Promise<void> {
    const ending = await transaction.query<{ valid_until: bigint | string }>(
      sql`SELECT "valid_until" FROM ${TABLE} WHERE "webhook_id" = ${webhookId} AND "valid_until" > ${this.clock.now().getTime()}
          ORDER BY "valid_until"`,
    );
    const [first] = ending;
    // The one so far and the new one come to those that end.
    if (first && ending.length + 2 > MOST_SIGNING) throw new TooManySecretsError(webhookId, new Date(Number(first.valid_until)));
  }

  /** Removes all secrets of an endpoint, in the transaction that deletes it. */
  async remove(transaction: WriteTransaction, webhookId: bigint): Promise<void> {
    await transaction.query(sql`DELETE FROM ${TABLE} WHERE "webhook_id" = ${webhookId}`);
  }
}
