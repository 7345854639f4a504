import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ApplicationError, Clock } from '#libs/observability';
import { Database } from '#libs/database';
import { LogHistory } from '#libs/event-sourcing';
import { PublicEventLog, TEST_TYPE, testEventId } from '#libs/http';
import { DeliveryProcess } from '../delivery/delivery-process.js';
import { webhookErrors } from '../domain/webhook.errors.js';
import type { StoredWebhook } from '../domain/webhook.js';
import { WebhookReader } from '../read-model/webhook.reader.js';
import { DeliveryStore } from '../records/delivery.store.js';
import { EndpointProgress } from '../records/endpoint-progress.js';

/** Sends a test at once, or the event of an earlier attempt again. Returns the id that the attempt will have. */
export class SendDelivery extends Command<bigint> {
  /** @param deliveryId that of the earlier attempt; undefined for a test */
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
    private readonly deliveries: DeliveryStore,
    private readonly progress: EndpointProgress,
    private readonly process: DeliveryProcess,
    private readonly clock: Clock,
  ) {}

  /** @throws WebhookNotFoundError, ApplicationError `webhook_disabled`, or `not_found` for an unknown attempt */
  async execute({ webhookId, deliveryId: earlierId }: SendDelivery): Promise<bigint> {
    const webhook = await readEnabled(this.webhooks, webhookId);
    const earlier = earlierId === undefined ? undefined : await this.deliveries.find(webhookId, earlierId);
    if (earlierId !== undefined && !earlier) {
      throw new ApplicationError('not_found', `There is no delivery with the id ${earlierId} to this webhook endpoint.`);
    }
    const id = await this.database.transaction(async (transaction) => {
      // Whoever learns later that it was enabled again would take the message for an old one.
      await this.progress.prepare(transaction, [webhook]);
      const [deliveryId = 0n] = await this.deliveries.nextIds(transaction, 1);
      const dueAt = this.clock.now();
      const { eventId, type, eventAt } = earlier ?? { eventId: testEventId(deliveryId), type: TEST_TYPE, eventAt: dueAt };
      this.deliveries.schedule(transaction, { webhookId, eventId, type, eventAt, attempt: 1, dueAt, deliveryId });
      return deliveryId;
    });
    await this.process.wake();
    return id;
  }
}

/** Sends all events behind a position that an endpoint was sent already to it again. Returns how many they are. */
export class ReplayEvents extends Command<bigint> {
  constructor(
    readonly webhookId: bigint,
    readonly after: bigint,
  ) {
    super();
  }
}

@CommandHandler(ReplayEvents)
export class ReplayEventsHandler implements ICommandHandler<ReplayEvents> {
  constructor(
    private readonly database: Database,
    private readonly log: PublicEventLog,
    private readonly history: LogHistory,
    private readonly webhooks: WebhookReader,
    private readonly progress: EndpointProgress,
    private readonly process: DeliveryProcess,
  ) {}

  /** @throws WebhookNotFoundError, LogRewoundError, ApplicationError `webhook_disabled` */
  async execute({ webhookId, after }: ReplayEvents): Promise<bigint> {
    const webhook = await readEnabled(this.webhooks, webhookId);
    await this.history.assertKnown(after);
    const { types } = webhook;
    // Later events are sent anyway.
    const until = (await this.progress.find(webhookId))?.position ?? webhook.startsAfter;
    const count = await this.log.count({ ...(types && { types }), after, until });
    if (count === 0n) return count;
    await this.database.transaction((transaction) => this.progress.replay(transaction, webhook, { position: after, until }));
    await this.process.wake();
    return count;
  }
}

async function readEnabled(webhooks: WebhookReader, id: bigint): Promise<StoredWebhook> {
  const webhook = await webhooks.get(id);
  if (!webhook.enabled) {
    throw new ApplicationError(webhookErrors.webhook_disabled, `The webhook endpoint ${id} is disabled; enable it first.`);
  }
  return webhook;
}
