import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Precondition } from '#libs/api-kit';
import type { EventMetadata } from '#libs/event-store';
import { assertValid, IsInt64 } from '#libs/validation';
import { DeliveryProcess } from '../delivery/delivery-process.js';
import type { WebhookView } from '../domain/webhook.js';
import { WebhookSecrets } from '../signing/webhook-secrets.js';
import { WebhookStreams } from './webhook-streams.js';

/** Ends an endpoint for good, with its secrets. Gives it as it last was. */
export class DeleteWebhook extends Command<WebhookView> {
  @IsInt64()
  readonly id: bigint;

  constructor(
    values: { readonly id: unknown },
    readonly metadata: EventMetadata,
    readonly precondition?: Precondition,
  ) {
    super();
    // The type holds once the rules have been checked, which the handler does first.
    this.id = values.id as bigint;
  }
}

@CommandHandler(DeleteWebhook)
export class DeleteWebhookHandler implements ICommandHandler<DeleteWebhook> {
  constructor(
    private readonly webhooks: WebhookStreams,
    private readonly secrets: WebhookSecrets,
    private readonly process: DeliveryProcess,
  ) {}

  /** @throws WebhookNotFoundError */
  async execute(command: DeleteWebhook): Promise<WebhookView> {
    assertValid(command);
    const { id, metadata, precondition } = command;
    const { webhook } = await this.webhooks.decide({
      command: { kind: 'delete', id },
      metadata,
      precondition,
      withinTransaction: (transaction) => this.secrets.remove(transaction, id),
    });
    await this.process.wake();
    return webhook;
  }
}
