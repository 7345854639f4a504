import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock } from '#libs/clock';
import { Database, type WriteTransaction } from '#libs/database';
import { TEST_TYPE, testEventId } from '#libs/public-events';
import { DeliveryProcess } from '../delivery/delivery-process.js';
import { DeliveryNotFoundError } from '../domain/webhook.errors.js';
import { DeliveryRecords } from '../records/delivery-records.js';
import { PendingDeliveries } from '../records/pending-deliveries.js';
import { WebhookReader } from '../read-model/webhook.reader.js';
import { enabledWebhook } from './enabled-webhook.js';

/** What is sent at once: a test, or the event of an earlier attempt once more. Gives the id that the attempt will have. */
export class SendDelivery extends Command<bigint> {
  /** @param deliveryId that of an earlier attempt; undefined for a test */
  constructor(
    readonly webhookId: bigint,
    readonly deliveryId?: bigint,
  ) {
    super();
  }
}

@CommandHandler(SendDelivery)
export class SendDeliveryHandler implements ICommandHandler<SendDelivery> {
  constructor(
    private readonly webhooks: WebhookReader,
    private readonly database: Database,
    private readonly records: DeliveryRecords,
    private readonly pending: PendingDeliveries,
    private readonly process: DeliveryProcess,
    private readonly clock: Clock,
  ) {}

  /** @throws WebhookNotFoundError, DeliveryNotFoundError, WebhookDisabledError */
  async execute({ webhookId, deliveryId }: SendDelivery): Promise<bigint> {
    await enabledWebhook(this.webhooks, webhookId);
    const earlier = deliveryId === undefined ? undefined : await this.records.find(webhookId, deliveryId);
    if (deliveryId !== undefined && !earlier) throw new DeliveryNotFoundError(deliveryId);
    const id = await this.database.write((transaction) => this.add(transaction, webhookId, earlier));
    await this.process.wake();
    return id;
  }

  private async add(
    transaction: WriteTransaction,
    webhookId: bigint,
    earlier: Awaited<ReturnType<DeliveryRecords['find']>>,
  ): Promise<bigint> {
    const [deliveryId = 0n] = await this.records.nextIds(transaction, 1);
    const dueAt = this.clock.now();
    const test = { eventId: testEventId(deliveryId), type: TEST_TYPE, eventAt: dueAt };
    const { eventId, type, eventAt } = earlier ?? test;
    await this.pending.add(transaction, { webhookId, eventId, type, eventAt, attempt: 1, dueAt, deliveryId });
    return deliveryId;
  }
}
