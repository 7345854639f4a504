import { randomBytes } from 'node:crypto';
import { applyDecorators } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock } from '#libs/observability';
import type { EventMetadata } from '#libs/event-sourcing';
import { assertValid, Describes, durationOf, IsDuration } from '#libs/http';
import { createWebhookSecret, SECRET_RANDOM_BYTES } from '../domain/webhook-signature.js';
import type { WebhookView } from '../domain/webhook.js';
import { WebhookSecrets } from '../records/webhook-secrets.js';
import { WebhookDecisions } from './webhook-decisions.js';

/** Default grace period of the previous secret. */
export const DEFAULT_GRACE = '24h';

const LONGEST_GRACE = '7d';

/** The property is a grace period of the previous secret. */
export function IsGrace(): PropertyDecorator {
  return applyDecorators(
    IsDuration(LONGEST_GRACE),
    Describes(
      `How long the secret so far signs too: a whole number and a unit, such as \`90m\` or \`0s\`, at most ${LONGEST_GRACE}; ${DEFAULT_GRACE} when left out. \`0s\` ends all secrets but the new one at once.`,
    ),
  );
}

export interface RotatedWebhook {
  readonly webhook: WebhookView;
  /** The new secret, returned only once. */
  readonly secret: string;
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
    private readonly clock: Clock,
  ) {}

  /** @throws WebhookNotFoundError, TooManySecretsError */
  async execute(command: RotateWebhookSecret): Promise<RotatedWebhook> {
    assertValid(command);
    const { id, metadata } = command;
    const grace = durationOf(command.grace) ?? 0;
    const previousValidUntil = grace === 0 ? null : new Date(this.clock.now().getTime() + grace);
    const secret = createWebhookSecret(randomBytes(SECRET_RANDOM_BYTES));
    const { webhook } = await this.decisions.decide({
      command: { kind: 'rotate-secret', id, previousValidUntil },
      metadata,
      withinTransaction: (transaction) => this.secrets.rotate(transaction, id, { secret, previousValidUntil }),
    });
    return { webhook, secret };
  }
}
