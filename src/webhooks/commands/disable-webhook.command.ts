import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { EventMetadata } from '#libs/event-store';
import type { DisabledReason } from '../domain/webhook.js';
import { WebhookNotFoundError } from '../domain/webhook.errors.js';
import { WebhookStreams } from './webhook-streams.js';

const METADATA: EventMetadata = { actor: 'system' };

/** Turns an endpoint off for what came of the messages to it. Gives whether it is off for this reason; not where it is deleted. */
export class DisableWebhook extends Command<boolean> {
  constructor(
    readonly id: bigint,
    readonly reason: Exclude<DisabledReason, 'owner'>,
  ) {
    super();
  }
}

@CommandHandler(DisableWebhook)
export class DisableWebhookHandler implements ICommandHandler<DisableWebhook> {
  constructor(private readonly webhooks: WebhookStreams) {}

  async execute({ id, reason }: DisableWebhook): Promise<boolean> {
    try {
      const { webhook } = await this.webhooks.decide({ command: { kind: 'disable', id, reason }, metadata: METADATA });
      return webhook.disabledReason === reason;
    } catch (error) {
      if (error instanceof WebhookNotFoundError) return false;
      throw error;
    }
  }
}
