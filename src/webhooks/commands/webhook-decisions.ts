import { Injectable } from '@nestjs/common';
import type { Precondition } from '#libs/http';
import { Aggregate, EventStore, retryConflicts, type AppendOptions, type EventMetadata } from '#libs/event-sourcing';
import { webhookDecider, type WebhookCommand } from '../domain/webhook.decider.js';
import { WebhookNotFoundError } from '../domain/webhook.errors.js';
import { toWebhook, webhookStream, type WebhookView } from '../domain/webhook.js';
import { WebhookReader } from '../read-model/webhook.reader.js';
import { EndpointProgress } from '../records/endpoint-progress.js';
import { WebhookSecrets } from '../records/webhook-secrets.js';

/** A decision about an existing endpoint. */
export interface WebhookDecision {
  readonly command: Exclude<WebhookCommand, { readonly kind: 'register' }>;
  readonly metadata: EventMetadata;
  /** Checked against the endpoint as it is before. */
  readonly precondition?: Precondition | undefined;
  readonly withinTransaction?: AppendOptions['withinTransaction'];
}

export interface DecidedWebhook {
  /** The endpoint afterwards; if it is deleted, as it last was. */
  readonly webhook: WebhookView;
  /** False if the command changed nothing and no event was appended. */
  readonly changed: boolean;
}

/** Decides about endpoints and appends the events; what ends with an endpoint is removed in the same transaction. */
@Injectable()
export class WebhookDecisions {
  constructor(
    private readonly store: EventStore,
    private readonly progress: EndpointProgress,
    private readonly secrets: WebhookSecrets,
    private readonly reader: WebhookReader,
  ) {}

  /**
   * Decides again if another writer came first.
   * @throws WebhookNotFoundError if there is no such endpoint or it was deleted
   */
  decide(decision: WebhookDecision): Promise<DecidedWebhook> {
    return retryConflicts(() => this.attempt(decision));
  }

  private async attempt({ command, metadata, precondition, withinTransaction }: WebhookDecision): Promise<DecidedWebhook> {
    const { id } = command;
    const endpoint = await Aggregate.read(this.store, webhookDecider, webhookStream(id));
    const { createdAt } = await this.reader.get(id);
    const show = () => endpoint.state && this.reader.view({ id, createdAt, ...endpoint.state });
    const before = show();
    if (!before) throw new WebhookNotFoundError(id);
    precondition?.(toWebhook(before));
    const appends = endpoint.decide(command);
    if (appends.length > 0) {
      await this.store.append(appends, {
        metadata,
        withinTransaction: async (transaction, recorded) => {
          await withinTransaction?.(transaction, recorded);
          const types = recorded.map(({ type }) => type);
          // Nothing that is pending is sent then; an endpoint that is enabled again begins at the end of the log.
          if (types.includes('webhook-disabled') || types.includes('webhook-deleted')) await this.progress.remove(transaction, [id]);
          if (types.includes('webhook-deleted')) await this.secrets.remove(transaction, id);
        },
      });
    }
    return { webhook: show() ?? before, changed: appends.length > 0 };
  }
}
