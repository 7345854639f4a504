import { randomBytes } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { fingerprintOf } from '#libs/api-kit';
import { EventStore, type AppendResult, type EventMetadata, type Idempotency, type RequestIdempotency } from '#libs/event-store';
import { assertValid, Describes, IfGiven } from '#libs/validation';
import { webhookDecider } from '../domain/webhook.decider.js';
import { TooManyWebhooksError } from '../domain/webhook.errors.js';
import { webhookAfter } from '../domain/webhook-history.js';
import { createWebhookSecret, SECRET_RANDOM_BYTES } from '../domain/webhook-signature.js';
import { viewOf, WEBHOOK_CATEGORY, webhookIdOf, type WebhookView } from '../domain/webhook.js';
import { EventTypes } from '../event-types.js';
import { WebhookReader } from '../read-model/webhook.reader.js';
import { WebhookSecrets } from '../signing/webhook-secrets.js';
import { WebhookFaults } from './webhook-faults.js';
import { IsEnabled, IsListOfEventTypes, IsWebhookDescription, IsWebhookUrl } from './webhook-values.rule.js';

/** Injection token of how many endpoints one API key may have. */
export const WEBHOOKS_PER_KEY = Symbol('WEBHOOKS_PER_KEY');

/** The values of a new endpoint as a caller gave them; the rules of the command decide about them. */
export interface NewWebhookValues {
  readonly url?: unknown;
  readonly types?: unknown;
  readonly description?: unknown;
  readonly enabled?: unknown;
}

export interface RegisteredWebhook {
  readonly webhook: WebhookView;
  /** Given this once; undefined when the idempotency key had registered this endpoint before and nothing was registered now. */
  readonly secret: string | undefined;
}

/** Has events sent to an address, for an API key. */
export class RegisterWebhook extends Command<RegisteredWebhook> {
  @IsWebhookUrl()
  @Describes('Where events are sent to: an absolute `https` URL, at most 2,048 characters.')
  readonly url: string;

  @IfGiven()
  @IsListOfEventTypes()
  @Describes('The names of the event types that are sent, each once; all of them, also those to come, when left out.')
  readonly types: readonly string[] | undefined;

  @IfGiven()
  @IsWebhookDescription()
  @Describes('What it is for, kept exactly as sent. 1 to 1,000 Unicode characters by the rules of a name.')
  readonly description: string | undefined;

  @IfGiven()
  @IsEnabled()
  @Describes('Whether events are sent; true when left out.')
  readonly enabled: boolean | undefined;

  constructor(
    values: NewWebhookValues,
    /** The number of the API key. */
    readonly registeredBy: bigint,
    readonly metadata: EventMetadata,
    readonly idempotency?: RequestIdempotency,
  ) {
    super();
    // The types hold once the rules have been checked, which the handler does first.
    this.url = values.url as string;
    this.types = values.types as readonly string[] | undefined;
    this.description = values.description as string | undefined;
    this.enabled = values.enabled as boolean | undefined;
  }
}

@CommandHandler(RegisterWebhook)
export class RegisterWebhookHandler implements ICommandHandler<RegisterWebhook> {
  constructor(
    private readonly store: EventStore,
    private readonly reader: WebhookReader,
    private readonly secrets: WebhookSecrets,
    private readonly faults: WebhookFaults,
    private readonly types: EventTypes,
    @Inject(WEBHOOKS_PER_KEY) private readonly limit: number,
  ) {}

  /** @throws TooManyWebhooksError */
  async execute(command: RegisterWebhook): Promise<RegisteredWebhook> {
    assertValid(command, await this.faults.of(command));
    const { url, types, description, enabled } = command;
    const idempotency = command.idempotency && { ...command.idempotency, fingerprint: fingerprintOf([url, types, description, enabled]) };
    const secret = createWebhookSecret(randomBytes(SECRET_RANDOM_BYTES));
    const { events, replayed } = (await this.replayAtLimit(command, idempotency)) ?? (await this.append(command, secret, idempotency));
    const webhook = webhookAfter(events);
    if (!webhook) throw new Error('The event store gave back no webhook-registered event.');
    return { webhook: viewOf(webhook, this.types.names), secret: replayed ? undefined : secret };
  }

  /** Spares the write lock what it would refuse. A repeated request is answered also where its endpoint was the last one. */
  private async replayAtLimit({ registeredBy }: RegisterWebhook, idempotency: Idempotency | undefined): Promise<AppendResult | undefined> {
    if ((await this.reader.count(registeredBy)) < this.limit) return undefined;
    const replay = idempotency && (await this.store.findReplay(idempotency));
    if (!replay) throw new TooManyWebhooksError(this.limit);
    return replay;
  }

  private append(
    { url, types, description, enabled = true, registeredBy, metadata }: RegisterWebhook,
    secret: string,
    idempotency: Idempotency | undefined,
  ): Promise<AppendResult> {
    const values = { url, ...(types && { types }), ...(description !== undefined && { description }) };
    const events = webhookDecider.decide({ kind: 'register', registeredBy, values, enabled }, webhookDecider.initialState);
    return this.store.append([{ stream: { newIn: WEBHOOK_CATEGORY }, expectedVersion: 'noStream', events }], {
      metadata,
      ...(idempotency && { idempotency }),
      withinTransaction: async (transaction, [registered]) => {
        if ((await this.reader.countWithin(transaction, registeredBy)) > this.limit) throw new TooManyWebhooksError(this.limit);
        await this.secrets.begin(transaction, webhookIdOf(registered?.stream ?? ''), secret);
      },
    });
  }
}
