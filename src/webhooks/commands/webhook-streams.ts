import { Injectable } from '@nestjs/common';
import type { Precondition } from '#libs/api-kit';
import { Aggregate, EventStore, retryConflicts, type AppendOptions, type EventMetadata } from '#libs/event-store';
import { webhookDecider, type WebhookCommand } from '../domain/webhook.decider.js';
import { WebhookNotFoundError } from '../domain/webhook.errors.js';
import { webhookIn } from '../domain/webhook-history.js';
import { viewOf, webhookOf, webhookStream, type WebhookView } from '../domain/webhook.js';
import { EventTypes } from '../event-types.js';
import { WebhookReader } from '../read-model/webhook.reader.js';
import { EndpointProgress } from '../records/endpoint-progress.js';

/** One decision about an endpoint that there is, and what goes with it. */
export interface WebhookDecision {
  readonly command: Exclude<WebhookCommand, { readonly kind: 'register' }>;
  readonly metadata: EventMetadata;
  /** Held against the endpoint as it is before. */
  readonly precondition?: Precondition | undefined;
  readonly withinTransaction?: AppendOptions['withinTransaction'];
}

/** What became of an endpoint. */
export interface DecidedWebhook {
  /** As it is afterwards; one that is deleted with it as it last was. */
  readonly webhook: WebhookView;
  /** False when it was all so already and no event was written. */
  readonly changed: boolean;
}

/** After these nothing is to be sent that waits; an endpoint that is enabled again begins at the end of the log. */
const ENDINGS: readonly string[] = ['webhook-disabled', 'webhook-deleted'];

/** Decides about endpoints and appends what follows. */
@Injectable()
export class WebhookStreams {
  constructor(
    private readonly store: EventStore,
    private readonly types: EventTypes,
    private readonly progress: EndpointProgress,
    private readonly reader: WebhookReader,
  ) {}

  /**
   * Decides again where another writer came first.
   * @throws WebhookNotFoundError for one that is not there, or deleted
   */
  decide(decision: WebhookDecision): Promise<DecidedWebhook> {
    return retryConflicts(() => this.attempt(decision));
  }

  private async attempt({ command, metadata, precondition, withinTransaction }: WebhookDecision): Promise<DecidedWebhook> {
    const { id } = command;
    const endpoint = await Aggregate.read(this.store, webhookDecider, webhookStream(id));
    const registered = await this.reader.find(id);
    const before = registered && webhookIn(registered, endpoint);
    if (!before) throw new WebhookNotFoundError(id);
    precondition?.(webhookOf(viewOf(before, this.types.names)));
    const appends = endpoint.decide(command);
    if (appends.length === 0) return { webhook: viewOf(before, this.types.names), changed: false };
    const within: AppendOptions['withinTransaction'] = async (transaction, recorded) => {
      await withinTransaction?.(transaction, recorded);
      if (recorded.some(({ type }) => ENDINGS.includes(type))) await this.progress.remove(transaction, [id]);
    };
    await this.store.append(appends, { metadata, withinTransaction: within });
    return { webhook: viewOf(webhookIn(registered, endpoint) ?? before, this.types.names), changed: true };
  }
}
