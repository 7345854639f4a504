import { randomBytes } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { fingerprintOf, assertValid, Describes, IfGiven } from '#libs/http';
import {
  EventStore,
  type AppendResult,
  type EventMetadata,
  type Idempotency,
  type RecordedEvent,
  type RequestIdempotency,
} from '#libs/event-sourcing';
import { webhookDecider, webhookIn } from '../domain/webhook.decider.js';
import { TooManyWebhooksError } from '../domain/webhook.errors.js';
import type { WebhookEvent } from '../domain/webhook.events.js';
import { createWebhookSecret, SECRET_RANDOM_BYTES } from '../domain/webhook-signature.js';
import { toWebhookView, WEBHOOK_CATEGORY, webhookIdOf, type WebhookSnapshot, type WebhookView } from '../domain/webhook.js';
import { EventTypes } from '../event-types.js';
import { WebhookReader } from '../read-model/webhook.reader.js';
import { WebhookSecrets } from '../records/webhook-secrets.js';
import { WEBHOOKS_OPTIONS, type WebhooksOptions } from '../webhooks-options.js';
import {
  IsEnabled,
  IsListOfEventTypes,
  IsWebhookDescription,
  IsWebhookUrl,
  WebhookInputCheck,
  type WebhookInput,
} from './webhook-values.rule.js';

export interface RegisteredWebhook {
  readonly webhook: WebhookView;
  /** Returned only once; undefined if the idempotency key had registered this endpoint before. */
  readonly secret: string | undefined;
}

/** Registers an endpoint of an API key, to which events are sent. */
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
    values: WebhookInput,
    /** The number of the API key. */
    readonly registeredBy: bigint,
    readonly metadata: EventMetadata,
    readonly idempotency?: RequestIdempotency,
  ) {
    super();
    // The types hold once the handler has checked the rules.
    this.url = values.url as string;
    this.types = values.types as readonly string[] | undefined;
    this.description = values.description as string | undefined;
    this.enabled = values.enabled as boolean | undefined;
  }
}

@CommandHandler(RegisterWebhook)
export class RegisterWebhookHandler implements ICommandHandler<RegisterWebhook> {
  private readonly limit: number;

  constructor(
    private readonly store: EventStore,
    private readonly reader: WebhookReader,
    private readonly secrets: WebhookSecrets,
    private readonly check: WebhookInputCheck,
    private readonly types: EventTypes,
    @Inject(WEBHOOKS_OPTIONS) { webhooks }: WebhooksOptions,
  ) {
    this.limit = webhooks.perKey;
  }

  /** @throws TooManyWebhooksError */
  async execute(command: RegisterWebhook): Promise<RegisteredWebhook> {
    assertValid(command, await this.check.errorsOf(command));
    const { url, types, description, enabled } = command;
    const idempotency = command.idempotency && { ...command.idempotency, fingerprint: fingerprintOf([url, types, description, enabled]) };
    const secret = createWebhookSecret(randomBytes(SECRET_RANDOM_BYTES));
    const { events, replayed } = (await this.replayAtLimit(command, idempotency)) ?? (await this.append(command, secret, idempotency));
    return { webhook: toWebhookView(toSnapshot(events), this.types.names), secret: replayed ? undefined : secret };
  }

  /** Rejects without taking the write lock. A repeated request is answered even if its endpoint was the last one allowed. */
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
        await this.secrets.add(transaction, webhookIdOf(registered?.stream ?? ''), secret);
      },
    });
  }
}

/** The endpoint that these events have registered. */
function toSnapshot(events: readonly RecordedEvent[]): WebhookSnapshot {
  const state = (events as readonly RecordedEvent<WebhookEvent>[]).reduce(
    (before, event) => webhookDecider.evolve(before, event),
    webhookDecider.initialState,
  );
  const [first] = events;
  const webhook = first && webhookIn({ id: webhookIdOf(first.stream), createdAt: first.recordedAt }, state);
  if (!webhook) throw new Error('The event store returned no webhook-registered event.');
  return webhook;
}
