import { streamProjection } from '#libs/event-sourcing';
import { webhookDecider } from '../domain/webhook.decider.js';
import { webhookEvents } from '../domain/webhook.events.js';
import { WebhookRow } from './webhook.entity.js';

/** The endpoints that exist, one row each. */
export const webhooksProjection = streamProjection({
  entity: WebhookRow,
  version: 1,
  events: webhookEvents,
  evolve(webhook, event) {
    const details = webhookDecider.evolve(webhook, event);
    if (!details) return undefined;
    const starts = !webhook || event.type === 'webhook-enabled';
    const startsAfter = starts ? event.position : webhook.startsAfter;
    return { ...details, createdAt: webhook?.createdAt ?? event.recordedAt, startsAfter };
  },
});
