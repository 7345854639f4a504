import { randomBytes } from 'node:crypto';
import { applyDecorators } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { IsBoolean } from 'class-validator';
import {
  assertValid,
  ApiDescription,
  parseDurationText,
  IfGiven,
  InputCommand,
  IsDuration,
  IsInt64,
  IsNullable,
  IsText,
  type Precondition,
} from '#libs/http';
import { Clock } from '#libs/observability';
import type { EventMetadata } from '#libs/event-sourcing';
import { DeliveryProcess } from '../delivery/delivery-process.js';
import type { WebhookChanges } from '../domain/webhook.decider.js';
import { createWebhookSecret, SECRET_RANDOM_BYTES } from '../domain/webhook-signature.js';
import type { WebhookView } from '../domain/webhook.js';
import { WebhookSecrets } from '../records/webhook-secrets.js';
import { WebhookDecisions, type DecidedWebhook } from './webhook-decisions.js';
import { IsListOfEventTypes, IsWebhookUrl, MAX_DESCRIPTION_LENGTH, WebhookInputCheck, type WebhookInput } from './webhook-values.rule.js';

/** Changes the values of an endpoint, enables and disables it; undefined values stay. A disabled endpoint keeps its reason. */
export class ChangeWebhook extends InputCommand<WebhookChanges & { readonly id: bigint }, DecidedWebhook> {
  @IsInt64()
  readonly id!: bigint;

  @IfGiven()
  @IsWebhookUrl()
  @ApiDescription('Where events are sent to from now on: an absolute `https` URL, at most 2,048 characters.')
  readonly url?: string;

  @IsNullable()
  @IsListOfEventTypes()
  @ApiDescription('The names of the event types that are sent from now on, each once; null for all of them, also those to come.')
  readonly types?: readonly string[] | null;

  @IsNullable()
  @IsText(MAX_DESCRIPTION_LENGTH)
  @ApiDescription('What it is for, kept exactly as sent; null for nothing. 1 to 1,000 Unicode characters by the rules of a name.')
  readonly description?: string | null;

  @IfGiven()
  @IsBoolean({ message: '$property must be true or false' })
  @ApiDescription('Whether events are sent.')
  readonly enabled?: boolean;

  constructor(
    values: WebhookInput & { readonly id: unknown },
    metadata: EventMetadata,
    readonly precondition?: Precondition,
  ) {
    super(values, metadata);
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
    const { id, url, types, description, enabled, metadata, precondition } = command;
    const change = { kind: 'change', id, changes: { url, types, description, enabled } } as const;
    const decided = await this.decisions.decide({ command: change, metadata, precondition });
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
export class RotateWebhookSecret extends InputCommand<{ readonly grace: string }, RotatedWebhook> {
  @IsGrace()
  readonly grace!: string;

  constructor(
    readonly id: bigint,
    grace: unknown,
    metadata: EventMetadata,
  ) {
    super({ grace: grace ?? DEFAULT_GRACE }, metadata);
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
