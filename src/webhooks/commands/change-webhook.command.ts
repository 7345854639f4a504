import { randomBytes } from 'node:crypto';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { IsBoolean } from 'class-validator';
import {
  ApiDescription,
  IfGiven,
  IsDuration,
  IsNullable,
  IsText,
  parseDurationText,
  toValid,
  type Precondition,
  type Unchecked,
} from '#libs/http';
import { Clock } from '#libs/observability';
import type { EventMetadata } from '#libs/event-sourcing';
import { DeliveryProcess } from '../delivery/delivery-process.js';
import { createWebhookSecret, SECRET_RANDOM_BYTES } from '../domain/webhook-signature.js';
import { WebhookSecrets } from '../records/webhook-secrets.js';
import { WebhookDecisions, type DecidedWebhook, type WebhookDecision } from './webhook-decisions.js';
import { IsListOfEventTypes, IsWebhookUrl, MAX_DESCRIPTION_LENGTH, WebhookInputCheck, type WebhookInput } from './webhook-values.rule.js';

const DEFAULT_GRACE = '24h';
const LONGEST_GRACE = '7d';

/** New values of an endpoint; undefined values stay. */
export class WebhookUpdate {
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
}

/** How an endpoint is given a new secret. */
export class SecretRotation {
  @IsDuration(LONGEST_GRACE)
  @ApiDescription(
    `Grace period in which the previous secret also signs: a whole number and a unit, such as \`90m\` or \`0s\`, at most ${LONGEST_GRACE}, by default ${DEFAULT_GRACE}. \`0s\` ends all secrets except the new one at once.`,
  )
  readonly grace: string = DEFAULT_GRACE;
}

/** A change of an endpoint with values as a caller gave them. */
export type WebhookChange = { readonly id: bigint } & (
  | ({ readonly type: 'update' } & WebhookInput)
  | ({ readonly type: 'rotate-secret' } & Unchecked<SecretRotation>)
  | { readonly type: 'delete' }
);

interface NewSecret {
  /** Returned only now. */
  readonly secret?: string;
  /** Until when the previous secret signs too; null if it has ended. */
  readonly previousValidUntil?: Date | null;
}

export type ChangedWebhook = DecidedWebhook & NewSecret;

/**
 * Changes the values of an endpoint, enables and disables it, gives it a new secret, or deletes it with its secrets. A disabled endpoint keeps
 * its reason. After a rotation the previous secret signs too for a grace period, and older ones until theirs is over.
 */
export class ChangeWebhook extends Command<ChangedWebhook> {
  constructor(
    readonly change: WebhookChange,
    readonly metadata: EventMetadata,
    readonly precondition?: Precondition,
  ) {
    super();
  }
}

@CommandHandler(ChangeWebhook)
export class ChangeWebhookHandler implements ICommandHandler<ChangeWebhook> {
  constructor(
    private readonly decisions: WebhookDecisions,
    private readonly check: WebhookInputCheck,
    private readonly secrets: WebhookSecrets,
    private readonly process: DeliveryProcess,
    private readonly clock: Clock,
  ) {}

  /** @throws WebhookNotFoundError, ApplicationError `too_many_secrets` */
  async execute({ change, metadata, precondition }: ChangeWebhook): Promise<ChangedWebhook> {
    const { newSecret, ...decision } = await this.toDecision(change);
    const decided = await this.decisions.decide({ ...decision, metadata, precondition });
    await this.process.wake();
    return { ...decided, ...newSecret };
  }

  private async toDecision(change: WebhookChange): Promise<Omit<WebhookDecision, 'metadata'> & { readonly newSecret?: NewSecret }> {
    const { id } = change;
    switch (change.type) {
      case 'update':
        return { command: { kind: 'change', id, changes: toValid(WebhookUpdate, change, await this.check.findErrors(change)) } };
      case 'rotate-secret': {
        const grace = parseDurationText(toValid(SecretRotation, change).grace) ?? 0;
        const previousValidUntil = grace === 0 ? null : new Date(this.clock.now().getTime() + grace);
        const secret = createWebhookSecret(randomBytes(SECRET_RANDOM_BYTES));
        return {
          command: { kind: 'rotate-secret', id, previousValidUntil },
          withinTransaction: (transaction) => this.secrets.rotate(transaction, id, { secret, previousValidUntil }),
          newSecret: { secret, previousValidUntil },
        };
      }
      case 'delete':
        return { command: { kind: 'delete', id } };
    }
  }
}
