export { Aggregate, executeDecider, retryConflicts } from './aggregate.js';
export type { AppendOptions, AppendResult, NewEvent, StreamAppend } from './append-group.js';
export { foldEvents, type Decider, type Evolution, type StreamState } from './decider.js';
export {
  listEventDefinitions,
  EventRegistry,
  listEventTypes,
  type DomainEvent,
  type EventData,
  type EventDefinition,
  type EventDefinitions,
  type EventMember,
  type EventMetadata,
  type EventsOf,
  type PublishedForm,
  type RecordedEvent,
} from './event.js';
export { eventStoreMigrations } from './event-store-migrations.js';
export { ConcurrencyError, IdempotencyKeyInProgressError, IdempotencyKeyReusedError, LogRewoundError } from './event-store.errors.js';
export { EventStore } from './event-store.js';
export { EventStoreModule } from './event-store.module.js';
export { idempotencyKeyRetention, type Idempotency, type RequestIdempotency } from './idempotency-keys.js';
export { InlineProjections, type ProjectionsOfAppend } from './inline-projections.js';
export { LogHistory } from './log-history.js';
export {
  groupByStream,
  takeUntil,
  readEventsOfTypes,
  readLog,
  type HistoryPage,
  type LogPage,
  type NewestOptions,
  type ReadAllOptions,
  type StoredEvent,
  type StreamPart,
} from './read-events.js';
export { countPositions, MARK_NEW_HISTORY, newestPositionSql, readLaterHistories, type LaterHistory } from './sequences.js';
export { assertLogIntact, copyStoredEvents, lastStoredPosition, readStoredEvents } from './stored-log.js';
