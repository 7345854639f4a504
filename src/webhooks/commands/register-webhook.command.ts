import { randomBytes } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { IsBoolean } from 'class-validator';
import { assertValid, ApiDescription, IfGiven, InputCommand, IsText } from '#libs/http';
import { ApplicationError } from '#libs/observability';
import { EventStore, parseStreamNumber, type EventMetadata, type RequestIdempotency } from '#libs/event-sourcing';
import { webhookDecider, type WebhookChanges } from '../domain/webhook.decider.js';
import { webhookErrors } from '../domain/webhook.errors.js';
import { createWebhookSecret, SECRET_RANDOM_BYTES } from '../domain/webhook-signature.js';
import { WEBHOOK_CATEGORY, type WebhookView } from '../domain/webhook.js';
import { WebhookReader } from '../read-model/webhook.reader.js';
import { webhooksProjection } from '../read-model/webhooks.projection.js';
import { WebhookSecrets } from '../records/webhook-secrets.js';
import { WEBHOOKS_OPTIONS, type WebhooksOptions } from '../webhooks.settings.js';
import { IsListOfEventTypes, IsWebhookUrl, MAX_DESCRIPTION_LENGTH, WebhookInputCheck, type WebhookInput } from './webhook-values.rule.js';

export interface RegisteredWebhook {
  readonly webhook: WebhookView;
  /** Returned only once; undefined if the idempotency key had registered this endpoint before. */
  readonly secret: string | undefined;
}

/** Registers an endpoint of an API key, to which events are sent. */
export class RegisterWebhook extends InputCommand<WebhookChanges, RegisteredWebhook> {
  @IsWebhookUrl()
  @ApiDescription('Where events are sent to: an absolute `https` URL, at most 2,048 characters.')
  readonly url!: string;

  @IfGiven()
  @IsListOfEventTypes()
  @ApiDescription('The names of the event types to send, each once. Default: all, including future ones.')
  readonly types?: readonly string[];

  @IfGiven()
  @IsText(MAX_DESCRIPTION_LENGTH)
  @ApiDescription('What it is for, kept exactly as sent. 1 to 1,000 Unicode characters by the rules of a name.')
  readonly description?: string;

  @IfGiven()
  @IsBoolean({ message: '$property must be true or false' })
  @ApiDescription('Whether events are sent. Default: true.')
  readonly enabled?: boolean;

  constructor(
    values: WebhookInput,
    /** The number of the API key. */
    readonly registeredBy: bigint,
    metadata: EventMetadata,
    idempotency?: RequestIdempotency,
  ) {
    super(values, metadata, idempotency);
  }

  protected override fixedInputs(): readonly string[] {
    return ['url', 'types', 'description', 'enabled'];
  }
}

@CommandHandler(RegisterWebhook)
export class RegisterWebhookHandler implements ICommandHandler<RegisterWebhook> {
  constructor(
    private readonly store: EventStore,
    private readonly reader: WebhookReader,
    private readonly secrets: WebhookSecrets,
    private readonly check: WebhookInputCheck,
    @Inject(WEBHOOKS_OPTIONS) private readonly options: WebhooksOptions,
  ) {}

  /** @throws ApplicationError `too_many_webhooks`, unless the request repeats the one that added the last endpoint allowed */
  async execute(command: RegisterWebhook): Promise<RegisteredWebhook> {
    assertValid(command, await this.check.findErrors(command));
    const { url, types, description, enabled = true, registeredBy } = command;
    const values = { url, ...(types && { types }), ...(description !== undefined && { description }) };
    const decided = webhookDecider.decide({ kind: 'register', registeredBy, values, enabled }, webhookDecider.initialState);
    const secret = createWebhookSecret(randomBytes(SECRET_RANDOM_BYTES));
    const decide = async () => {
      // Rejects without taking the write lock.
      if ((await this.reader.count({ registeredBy })) >= this.options.settings.perKey) throw this.tooManyError();
      return [{ stream: { newIn: WEBHOOK_CATEGORY }, events: decided }];
    };
    const { events, replayed } = await this.store.execute(decide, {
      ...command.appendOptions,
      withinTransaction: async (transaction, [registered]) => {
        if ((await this.reader.countWithin(transaction, { registeredBy })) > this.options.settings.perKey) throw this.tooManyError();
        this.secrets.add(transaction, parseStreamNumber(registered?.stream ?? ''), secret);
      },
    });
    const webhook = webhooksProjection.fold(events);
    if (!webhook) throw new Error('The event store returned no webhook-registered event.');
    return { webhook: this.reader.view(webhook), secret: replayed ? undefined : secret };
  }

  private tooManyError(): ApplicationError {
    const { perKey } = this.options.settings;
    return new ApplicationError(
      webhookErrors.too_many_webhooks,
      `An API key may have ${perKey} webhook endpoints; delete one before you add another.`,
    );
  }
}
