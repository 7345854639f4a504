import { Injectable } from '@nestjs/common';
import { ApplicationError, Clock } from '#libs/observability';
import { Database, entityTable, type RetentionRule, sql, type WriteTransaction } from '#libs/database';
import { webhookErrors } from '../domain/webhook.errors.js';
import { WebhookSecret } from './webhook-secret.entity.js';

const secrets = entityTable(WebhookSecret);

/** Removes secrets as soon as they no longer sign. */
export const webhookSecretRetention: RetentionRule = { entity: WebhookSecret, since: 'validUntil', keepFor: 0 };

/** How many secrets sign a message at most. */
const MAX_SIGNING_SECRETS = 3;

/** The secrets of endpoints, which are stored nowhere else. The newest of an endpoint does not expire; each of the others does. */
@Injectable()
export class WebhookSecrets {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Returns the secrets that sign messages to the endpoint now, the newest first; none if there is no such endpoint. */
  async current(webhookId: bigint): Promise<readonly string[]> {
    const signing = sql`WHERE "webhook_id" = ${webhookId} AND ("valid_until" IS NULL OR "valid_until" > ${this.clock.now().getTime()})
      ORDER BY CASE WHEN "valid_until" IS NULL THEN 0 ELSE 1 END, "valid_until" DESC`;
    return (await secrets.read(this.database.reader, secrets.quoted, signing)).map(({ secret }) => secret);
  }

  /** Stores the newest secret of an endpoint, in the transaction that registers it or rotates its secret. */
  add(transaction: WriteTransaction, webhookId: bigint, secret: string): void {
    secrets.insert(transaction, [{ webhookId, secret, createdAt: this.clock.now() }]);
  }

  /**
   * Stores a new secret. The previous one expires at `previousValidUntil` and older ones keep their time; if it is null, all expire at once.
   * @throws ApplicationError `too_many_secrets` if more than three would sign
   */
  async rotate(
    transaction: WriteTransaction,
    webhookId: bigint,
    { secret, previousValidUntil }: { readonly secret: string; readonly previousValidUntil: Date | null },
  ): Promise<void> {
    if (previousValidUntil) {
      await this.assertRoom(transaction, webhookId);
      await transaction.query(
        sql`UPDATE ${secrets.quoted} SET "valid_until" = ${previousValidUntil.getTime()} WHERE "webhook_id" = ${webhookId} AND "valid_until" IS NULL`,
      );
    } else {
      await this.remove(transaction, webhookId);
    }
    this.add(transaction, webhookId, secret);
  }

  /** Removes all secrets of an endpoint. */
  async remove(transaction: WriteTransaction, webhookId: bigint): Promise<void> {
    await transaction.query(sql`DELETE FROM ${secrets.quoted} WHERE "webhook_id" = ${webhookId}`);
  }

  private async assertRoom(transaction: WriteTransaction, webhookId: bigint): Promise<void> {
    const later = sql`WHERE "webhook_id" = ${webhookId} AND "valid_until" > ${this.clock.now().getTime()} ORDER BY "valid_until"`;
    const expiring = await secrets.read(transaction, secrets.quoted, later);
    const until = expiring[0]?.validUntil?.toISOString();
    // Besides those that expire already, the previous secret and the new one sign.
    if (!until || expiring.length + 2 <= MAX_SIGNING_SECRETS) return;
    throw new ApplicationError(
      webhookErrors.too_many_secrets,
      `Three secrets of the webhook endpoint ${webhookId} sign already; rotate again from ${until}, when one of them has ended, or with grace 0s, which ends all but the new one at once.`,
    );
  }
}
