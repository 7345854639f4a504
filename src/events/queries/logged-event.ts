import type { EventRegistry, RecordedEvent } from '#libs/event-store';

/** An event as it may be shown: `data` is without the members that are secrets, and empty where these cannot be known. */
export type LoggedEvent = RecordedEvent;

export function toLoggedEvent(event: RecordedEvent, registry: EventRegistry): LoggedEvent {
  return { ...event, data: registry.withoutSecrets(event) };
}
