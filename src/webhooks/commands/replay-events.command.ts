import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Database } from '#libs/database';
import { LogHistory } from '#libs/event-store';
import { PublicEventLog } from '#libs/public-events';
import { DeliveryProcess } from '../delivery/delivery-process.js';
import { EndpointProgress } from '../records/endpoint-progress.js';
import { WebhookReader } from '../read-model/webhook.reader.js';
import { enabledWebhook } from './enabled-webhook.js';

/** Has an endpoint sent all that is for it behind a position once more, up to where it is; gives how many events these are. */
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

  /** @throws WebhookNotFoundError, WebhookDisabledError, LogRewoundError */
  async execute({ webhookId, after }: ReplayEvents): Promise<bigint> {
    const webhook = await enabledWebhook(this.webhooks, webhookId);
    await this.history.assertKnown(after);
    const { types } = webhook;
    // What is behind it is sent by itself.
    const until = (await this.progress.find(webhookId))?.position ?? webhook.startsAfter;
    const count = await this.log.count({ ...(types && { types }), after, until });
    if (count === 0n) return count;
    await this.database.write((transaction) => this.progress.replay(transaction, webhook, { position: after, until }));
    await this.process.wake();
    return count;
  }
}
