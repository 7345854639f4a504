import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Precondition } from '#libs/api-kit';
import type { EventMetadata } from '#libs/event-store';
import { assertValid, Describes, IfGiven, IsInt64, Removable } from '#libs/validation';
import { DeliveryProcess } from '../delivery/delivery-process.js';
import { WebhookFaults } from './webhook-faults.js';
import { WebhookStreams, type DecidedWebhook } from './webhook-streams.js';
import { IsEnabled, IsListOfEventTypes, IsWebhookDescription, IsWebhookUrl } from './webhook-values.rule.js';

/** What is to become of an endpoint as a caller gave it; what is left out stays as it is. */
export interface ChangedWebhookValues {
  readonly url?: unknown;
  readonly types?: unknown;
  readonly description?: unknown;
  readonly enabled?: unknown;
}

/** Changes the values of an endpoint, and turns it off and on. One that is disabled stays so for the reason that it has. */
export class ChangeWebhook extends Command<DecidedWebhook> {
  @IsInt64()
  readonly id: bigint;

  @IfGiven()
  @IsWebhookUrl()
  @Describes('Where events are sent to from now on: an absolute `https` URL, at most 2,048 characters.')
  readonly url: string | undefined;

  @Removable()
  @IsListOfEventTypes()
  @Describes('The names of the event types that are sent from now on, each once; null for all of them, also those to come.')
  readonly types: readonly string[] | null | undefined;

  @Removable()
  @IsWebhookDescription()
  @Describes('What it is for, kept exactly as sent; null for nothing. 1 to 1,000 Unicode characters by the rules of a name.')
  readonly description: string | null | undefined;

  @IfGiven()
  @IsEnabled()
  @Describes('Whether events are sent.')
  readonly enabled: boolean | undefined;

  constructor(
    values: ChangedWebhookValues & { readonly id: unknown },
    readonly metadata: EventMetadata,
    readonly precondition?: Precondition,
  ) {
    super();
    // The types hold once the rules have been checked, which the handler does first.
    this.id = values.id as bigint;
    this.url = values.url as string | undefined;
    this.types = values.types as readonly string[] | null | undefined;
    this.description = values.description as string | null | undefined;
    this.enabled = values.enabled as boolean | undefined;
  }
}

@CommandHandler(ChangeWebhook)
export class ChangeWebhookHandler implements ICommandHandler<ChangeWebhook> {
  constructor(
    private readonly webhooks: WebhookStreams,
    private readonly faults: WebhookFaults,
    private readonly process: DeliveryProcess,
  ) {}

  /** @throws WebhookNotFoundError */
  async execute(command: ChangeWebhook): Promise<DecidedWebhook> {
    assertValid(command, await this.faults.of(command));
    const { id, url, types, description, enabled, metadata, precondition } = command;
    const changes = { url, types, description, enabled };
    const decided = await this.webhooks.decide({ command: { kind: 'change', id, changes }, metadata, precondition });
    await this.process.wake();
    return decided;
  }
}
