import type { DomainEvent, RecordedEvent } from '../event-store/event.js';

/**
 * Reacts to events of the log, also those of other modules. A subclass that is a provider of any Nest module is found by itself.
 *
 * `handle` is called with each event of its types after it is committed: in the order of the log, one at a time, by one instance at a time,
 * and by no replay or rebuild. At least once: an event is repeated if the process dies, or loses the database, before the checkpoint
 * behind the event is stored. To make a repetition harmless, give the command that `handle` sends an idempotency key of the event,
 * `{ scope: this.name, key: event.eventId }` (keys are kept for at least 24 hours), or let the decider find nothing to do the second time.
 *
 * If `handle` rejects, the same event is tried again after 1 second, then 2, 4 and so on up to 5 minutes; later events wait. An instance
 * that shuts down waits for the event in hand.
 */
export abstract class EventFollower<Event extends DomainEvent = DomainEvent> {
  /** Stable, lower case, such as `thank-adopters`. The checkpoint has this name: a follower with another name is a new one. */
  abstract readonly name: string;
  abstract readonly types: readonly Event['type'][];
  /** Where it starts when it first runs: after the last event that there is, or at the first event of the log. */
  readonly startFrom: 'end' | 'beginning' = 'end';

  abstract handle(event: RecordedEvent<Event>): Promise<void>;
}
