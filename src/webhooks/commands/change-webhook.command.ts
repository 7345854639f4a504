import { randomBytes } from 'node:crypto';
import { applyDecorators } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { assertValid, ApiDescription, parseDurationText, IfGiven, IsDuration, IsInt64, IsNullable, type Precondition } from '#libs/http';
import { Clock } from '#libs/observability';
import type { EventMetadata } from '#libs/event-sourcing';
import { DeliveryProcess } from '../delivery/delivery-process.js';
import { createWebhookSecret, SECRET_RANDOM_BYTES } from '../domain/webhook-signature.js';
import type { WebhookView } from '../domain/webhook.js';
import { WebhookSecrets } from '../records/webhook-secrets.js';
import { WebhookDecisions, type DecidedWebhook } from './webhook-decisions.js';
import {
  IsEnabled,
  IsListOfEventTypes,
  IsWebhookDescription,
  IsWebhookUrl,
  WebhookInputCheck,
  type WebhookInput,
} from './webhook-values.rule.js';

/** Changes the values of an endpoint, enables and disables it; undefined values stay. A disabled endpoint keeps its reason. */
export class ChangeWebhook extends Command<DecidedWebhook> {
  @IsInt64()
  readonly id: bigint;

  @IfGiven()
  @IsWebhookUrl()
  @ApiDescription('Where events are sent to from now on: an absolute `https` URL, at most 2,048 characters.')
  readonly url: string | undefined;

  @IsNullable()
  @IsListOfEventTypes()
  @ApiDescription('The names of the event types that are sent from now on, each once; null for all of them, also those to come.')
  readonly types: readonly string[] | null | undefined;

  @IsNullable()
  @IsWebhookDescription()
  @ApiDescription('What it is for, kept exactly as sent; null for nothing. 1 to 1,000 Unicode characters by the rules of a name.')
  readonly description: string | null | undefined;

  @IfGiven()
  @IsEnabled()
  @ApiDescription('Whether events are sent.')
  readonly enabled: boolean | undefined;

  constructor(
    values: WebhookInput & { readonly id: unknown },
    readonly metadata: EventMetadata,
    readonly precondition?: Precondition,
  ) {
    super();
    // The types hold once the handler has checked the rules.
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
    private readonly decisions: WebhookDecisions,
    private readonly check: WebhookInputCheck,
    private readonly process: DeliveryProcess,
  ) {}

  /** @throws WebhookNotFoundError */
  async execute(command: ChangeWebhook): Promise<DecidedWebhook> {
    assertValid(command, await this.check.findErrors(command));
    const { id, metadata, precondition, ...changes } = command;
    const decided = await this.decisions.decide({ command: { kind: 'change', id, changes }, metadata, precondition });
    await this.process.wake();
    return decided;
  }
}

/** Deletes an endpoint with its secrets. Returns it as it last was. */
export class DeleteWebhook extends Command<WebhookView> {
  constructor(
    readonly id: bigint,
    readonly metadata: EventMetadata,
    readonly precondition?: Precondition,
  ) {
    super();
  }
}

@CommandHandler(DeleteWebhook)
export class DeleteWebhookHandler implements ICommandHandler<DeleteWebhook> {
  constructor(
    private readonly decisions: WebhookDecisions,
    private readonly process: DeliveryProcess,
  ) {}

  /** @throws WebhookNotFoundError */
  async execute({ id, metadata, precondition }: DeleteWebhook): Promise<WebhookView> {
    const { webhook } = await this.decisions.decide({ command: { kind: 'delete', id }, metadata, precondition });
    await this.process.wake();
    return webhook;
  }
}

/** Default grace period of the previous secret. */
export const DEFAULT_GRACE = '24h';

const MAX_GRACE = '7d';

/** The property is a grace period of the previous secret. */
export function IsGrace(): PropertyDecorator {
  return applyDecorators(
    IsDuration(MAX_GRACE),
    ApiDescription(
      `Grace period in which the previous secret also signs: a whole number and a unit, such as \`90m\` or \`0s\`, at most ${MAX_GRACE}, by default ${DEFAULT_GRACE}. \`0s\` ends all secrets except the new one at once.`,
    ),
  );
}

export interface RotatedWebhook {
  readonly webhook: WebhookView;
  /** The new secret, returned only once. */
  readonly secret: string;
  /** Until when the previous secret signs too; null if it has ended. */
  readonly previousValidUntil: Date | null;
}

/** Gives an endpoint a new secret. The previous one signs too for a grace period, and older ones until theirs is over. */
export class RotateWebhookSecret extends Command<RotatedWebhook> {
  @IsGrace()
  readonly grace: string;

  constructor(
    readonly id: bigint,
    grace: unknown,
    readonly metadata: EventMetadata,
  ) {
    super();
    // The type holds once the handler has checked the rules.
    this.grace = (grace ?? DEFAULT_GRACE) as string;
  }
}

@CommandHandler(RotateWebhookSecret)
export class RotateWebhookSecretHandler implements ICommandHandler<RotateWebhookSecret> {
  constructor(
    private readonly decisions: WebhookDecisions,
    private readonly secrets: WebhookSecrets,
    private readonly process: DeliveryProcess,
    private readonly clock: Clock,
  ) {}

  /** @throws WebhookNotFoundError, ApplicationError `too_many_secrets` */
  async execute(command: RotateWebhookSecret): Promise<RotatedWebhook> {
    assertValid(command);
    const { id, metadata } = command;
    const grace = parseDurationText(command.grace) ?? 0;
    const previousValidUntil = grace === 0 ? null : new Date(this.clock.now().getTime() + grace);
    const secret = createWebhookSecret(randomBytes(SECRET_RANDOM_BYTES));
    const { webhook } = await this.decisions.decide({
      command: { kind: 'rotate-secret', id, previousValidUntil },
      metadata,
      withinTransaction: (transaction) => this.secrets.rotate(transaction, id, { secret, previousValidUntil }),
    });
    await this.process.wake();
    return { webhook, secret, previousValidUntil };
  }
}
