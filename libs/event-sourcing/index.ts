export { EventSourcingModule } from './event-sourcing.module.js';
export { eventSourcingMigrations } from './event-sourcing-migrations.js';
export { Aggregate, executeDecider } from './event-store/aggregate.js';
export { Participants, type Participant } from './event-store/participants.js';
export { ConcurrencyError, type AppendOptions, type AppendResult, type NewEvent, type StreamAppend } from './event-store/append-group.js';
export { EventList, type EventListRange } from './event-store/event-list.js';
export { EventStore, retryConflicts } from './event-store/event-store.js';
export {
  listEventDefinitions,
  EventRegistry,
  foldEvents,
  foldNewStream,
  listEventTypes,
  parseStreamNumber,
  type Decider,
  type DomainEvent,
  type EventData,
  type EventDefinition,
  type EventDefinitions,
  type EventMetadata,
  type EventsOf,
  readEventData,
  writeEventData,
  type Evolution,
  type PublishedForm,
  type RecordedEvent,
} from './event-store/event.js';
export {
  IdempotencyKeyInProgressError,
  idempotencyKeyRetention,
  IdempotencyKeyReusedError,
  type Idempotency,
  type RequestIdempotency,
} from './event-store/idempotency-keys.js';
export { assertLogIntact, LogHistory, LogRewoundError } from './event-store/log-history.js';
export { groupByStream, type EventFilter, type EventQuery, type HistoryPage, type StoredEvent } from './event-store/read-events.js';
export {
  countedPosition,
  MARK_NEW_HISTORY,
  newestPosition,
  readLaterHistories,
  readPosition,
  type LaterHistory,
} from './event-store/sequences.js';
export { EventFollower, FollowerProcess } from './processes/followers.js';
export { Leases, type LeasedTable } from './processes/leases.js';
export { PollLoop } from './processes/poll-loop.js';
export { TimeoutSchedule, type TimeoutSource } from './processes/timeouts.js';
export { WriteBehind } from './processes/write-behind.js';
export { CountReader, type Count, type CountRequest, type PeriodLength } from './projections/count-reader.js';
export { DailyCount, DailyCounts } from './projections/daily-counts.js';
export { filter, type Filter, type FilterInput, type Filters, type FilterValues } from './projections/filters.js';
export { ListReader, type ListRange } from './projections/list-reader.js';
export { ReadModels, type ProjectionStatus } from './projections/read-models.js';
export { toPage, type Page, type PageRange } from './event-store/bounded-rows.js';
export { findDerivedTables } from './projections/projection-checkpoints.js';
export { ProjectionRebuilder } from './projections/projection-rebuilder.js';
export {
  listTableNames,
  ProjectionCatalog,
  projectionTableName,
  type Projection,
  type ProjectionTarget,
} from './projections/projection.js';
export { RowReader, type Selection } from './projections/row-reader.js';
export { readPastRows, streamProjection, type RowChanges } from './projections/stream-projection.js';
