import { column, named, optional, streamProjection } from '#libs/event-sourcing';
import { webhookDecider } from '../domain/webhook.decider.js';
import { webhookEvents } from '../domain/webhook.events.js';
import type { DisabledReason } from '../domain/webhook.js';

/** The endpoints that exist, one row each. */
export const webhooksProjection = streamProjection({
  name: 'webhooks',
  version: 1,
  events: webhookEvents,
  columns: {
    registeredBy: named('key_id', column.int64()),
    url: column.text(),
    types: optional(column.json<readonly string[]>()),
    description: optional(column.text()),
    enabled: column.boolean(),
    disabledReason: optional(column.text<DisabledReason>()),
    createdAt: column.time(),
    startsAfter: column.int64(),
  },
  indexes: [
    ['registeredBy', 'id'],
    ['enabled', 'id'],
  ],
  evolve(webhook, event) {
    const state = webhookDecider.evolve(webhook ? { kind: 'present', ...webhook } : webhookDecider.initialState, event);
    if (state.kind !== 'present') return undefined;
    const starts = !webhook || event.type === 'webhook-enabled';
    const startsAfter = starts ? event.position : webhook.startsAfter;
    return { ...state, createdAt: webhook?.createdAt ?? event.recordedAt, startsAfter };
  },
});
