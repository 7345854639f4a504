export { Aggregate, executeDecider, retryConflicts } from './event-store/aggregate.js';
export {
  ConcurrencyError,
  InlineProjections,
  type AppendOptions,
  type AppendResult,
  type NewEvent,
  type AppendProjections,
  type StreamAppend,
} from './event-store/append-group.js';
export { eventStoreMigrations } from './event-store/event-store-migrations.js';
export { EventStore } from './event-store/event-store.js';
export { EventStoreModule } from './event-store/event-store.module.js';
export {
  listEventDefinitions,
  EventRegistry,
  foldEvents,
  listEventTypes,
  type Decider,
  type DomainEvent,
  type EventData,
  type EventDefinition,
  type EventDefinitions,
  type EventMember,
  type EventMetadata,
  type EventsOf,
  type Evolution,
  type PublishedForm,
  type RecordedEvent,
  type StreamState,
} from './event-store/event.js';
export {
  IdempotencyKeyInProgressError,
  idempotencyKeyRetention,
  IdempotencyKeyReusedError,
  type Idempotency,
  type RequestIdempotency,
} from './event-store/idempotency-keys.js';
export { LogHistory, LogRewoundError } from './event-store/log-history.js';
export {
  groupByStream,
  takeUntil,
  readLog,
  type HistoryPage,
  type LogPage,
  type NewestOptions,
  type ReadAllOptions,
  type StoredEvent,
  type StreamPart,
} from './event-store/read-events.js';
export { countPositions, MARK_NEW_HISTORY, readLaterHistories, type LaterHistory } from './event-store/sequences.js';
export { assertLogIntact, copyStoredEvents, lastStoredPosition, readStoredEvents } from './event-store/stored-log.js';
export { Leases, LEASES_TABLE, processMigrations, type LeasedTable } from './processes/leases.js';
export { ProcessesModule } from './processes/processes.module.js';
export { TimeoutCatalog, TimeoutSchedule, type TimeoutSource } from './processes/timeouts.js';
export { ReadModels } from './projections/live-projections.js';
export { toPage, type Page, type PageRange } from './projections/page.js';
export { findDerivedTables, projectionMigrations } from './projections/projection-checkpoints.js';
export { ProjectionRebuilder, type ReplayProgress } from './projections/projection-rebuilder.js';
export { ProjectionPruning, ProjectionStatuses, type ProjectionStatus } from './projections/projection-versions.js';
export { ProjectionVerification } from './projections/projection-verification.js';
export {
  ProjectionCatalog,
  projectionTableName,
  type Projection,
  type ProjectionColumn,
  type ProjectionTable,
  type ProjectionTarget,
} from './projections/projection.js';
export { ProjectionsModule } from './projections/projections.module.js';
