export { byStream } from './by-stream.js';
export { Aggregate } from './aggregate.js';
export { stateAfter, type Decider, type Evolution } from './decider.js';
export type { DomainEvent, EventMetadata, LogEntry, RecordedEvent } from './event.js';
export {
  definitionsOf,
  typesOf,
  type EventData,
  type EventDefinitions,
  type EventMember,
  type EventsOf,
  type ModuleEventDefinition,
  type PublishedForm,
} from './event-definitions.js';
export { EventRegistry, type EventDefinition } from './event-registry.js';
export {
  EventStore,
  type AppendOptions,
  type AppendResult,
  type ExpectedVersion,
  type HistoryPage,
  type Idempotency,
  type NewEvent,
  type NewStream,
  type NewestOptions,
  type ReadAllOptions,
  type RequestIdempotency,
  type StreamAppend,
  type StreamPart,
} from './event-store.js';
export { executeDecider, retryConflicts } from './execute-decider.js';
export { eventsUntil } from './events-until.js';
export { ConcurrencyError, IdempotencyKeyInProgressError, IdempotencyKeyReusedError, LogRewoundError } from './event-store.errors.js';
export { EventStoreModule } from './event-store.module.js';
export { idempotencyKeyRetention } from './idempotency-keys.js';
export { InlineProjections, type ProjectionsOfAppend } from './inline-projections.js';
export { eventStoreMigrations } from './migrations/index.js';
export { readEventsOfTypes, readLog, type LogPage } from './read-log.js';
export type { StoredEvent } from './event-row.js';
export type { StreamState } from './stream-states.js';
export { assertLogIntact, copyStoredEvents, lastStoredPosition, readStoredEvents } from './stored-log.js';
export { LogHistory, type LogRewind } from './log-history.js';
export { countPositions, readLaterHistories, type LaterHistory } from './later-histories.js';
export { MARK_NEW_HISTORY, newestPositionOf } from './sequences.js';
