import { Inject, Injectable, Logger } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { PublicEventCatalog, PublicEventLog } from '#libs/public-events';
import { DisableWebhook } from '../commands/disable-webhook.command.js';
import { EndpointProgress } from '../records/endpoint-progress.js';
import { PendingDeliveries } from '../records/pending-deliveries.js';
import { WebhookMetrics } from '../webhooks.metrics.js';
import { DELIVERY_OPTIONS, type DeliveryOptions } from './delivery-options.js';
import { DeliveryWriter } from './delivery-writer.js';
import { Sender } from './sender.js';

/** What all workers of an instance work with. */
@Injectable()
export class DeliveryDependencies {
  private readonly logger = new Logger('Webhooks');

  constructor(
    readonly log: PublicEventLog,
    readonly sender: Sender,
    readonly writer: DeliveryWriter,
    readonly pending: PendingDeliveries,
    readonly progress: EndpointProgress,
    readonly metrics: WebhookMetrics,
    readonly catalog: PublicEventCatalog,
    private readonly commands: CommandBus,
    @Inject(DELIVERY_OPTIONS) readonly options: DeliveryOptions,
  ) {}

  /** Turns an endpoint off, unless it is. */
  async disable(webhookId: bigint, reason: 'gone' | 'failing'): Promise<void> {
    if (!(await this.commands.execute(new DisableWebhook(webhookId, reason)))) return;
    this.metrics.disabledFor(reason);
    const why = reason === 'gone' ? 'its receiver says that it is gone' : 'all attempts have failed for too long';
    this.logger.warn(`The webhook endpoint ${webhookId} is disabled: ${why}.`);
  }

  /** Tells of what could not be done for an endpoint, and is tried again. */
  tellOfFailure(webhookId: bigint, error: unknown): void {
    this.logger.warn(`Nothing can be sent to the webhook endpoint ${webhookId}, which is tried again: ${String(error)}`);
  }
}
