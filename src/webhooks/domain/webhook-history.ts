import type { RecordedEvent, StreamState } from '#libs/event-store';
import { webhookDecider, type WebhookState } from './webhook.decider.js';
import type { WebhookEvent } from './webhook.events.js';
import { webhookIdOf, type WebhookSnapshot } from './webhook.js';

/** The endpoint that a stream's state tells of at a version; undefined before it was registered and once it is deleted. */
export function webhookIn(
  { id, createdAt }: Pick<WebhookSnapshot, 'id' | 'createdAt'>,
  { state, version }: StreamState<WebhookState>,
): WebhookSnapshot | undefined {
  if (state.kind !== 'present') return undefined;
  const { kind: _kind, ...details } = state;
  return { id, createdAt, version, ...details };
}

/**
 * The endpoint as these events have made it.
 * @param events the first ones of its stream, in order; those of a newer build among them are passed over
 * @returns undefined before it was registered and once it is deleted
 */
export function webhookAfter(events: readonly RecordedEvent[]): WebhookSnapshot | undefined {
  const [first] = events;
  if (!first) return undefined;
  const state = (events as readonly RecordedEvent<WebhookEvent>[]).reduce(
    (before, event) => webhookDecider.evolve(before, event),
    webhookDecider.initialState,
  );
  return webhookIn({ id: webhookIdOf(first.stream), createdAt: first.recordedAt }, { state, version: events.length });
}
