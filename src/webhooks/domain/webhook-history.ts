import type { RecordedEvent } from '#libs/event-store';
import { webhookDecider } from './webhook.decider.js';
import type { WebhookEvent } from './webhook.events.js';
import { webhookIdOf, type WebhookSnapshot } from './webhook.js';

/**
 * The endpoint as these events have made it.
 * @param events the first ones of its stream, in order; those of a newer build among them are passed over
 * @returns undefined before it was registered and once it is deleted
 */
export function webhookAfter(events: readonly RecordedEvent[]): WebhookSnapshot | undefined {
  const [first] = events;
  const state = (events as readonly RecordedEvent<WebhookEvent>[]).reduce(
    (before, event) => webhookDecider.evolve(before, event),
    webhookDecider.initialState,
  );
  if (!first || state.kind !== 'present') return undefined;
  const { kind: _kind, ...details } = state;
  return { id: webhookIdOf(first.stream), createdAt: first.recordedAt, version: events.length, ...details };
}
