export { Aggregate, executeDecider, retryConflicts } from './event-store/aggregate.js';
export type { AppendOptions, AppendResult, NewEvent, StreamAppend } from './event-store/append-group.js';
export { foldEvents, type Decider, type Evolution, type StreamState } from './event-store/decider.js';
export { eventStoreMigrations } from './event-store/event-store-migrations.js';
export {
  ConcurrencyError,
  IdempotencyKeyInProgressError,
  IdempotencyKeyReusedError,
  LogRewoundError,
} from './event-store/event-store.errors.js';
export { EventStore } from './event-store/event-store.js';
export { EventStoreModule } from './event-store/event-store.module.js';
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
} from './event-store/event.js';
export { idempotencyKeyRetention, type Idempotency, type RequestIdempotency } from './event-store/idempotency-keys.js';
export { InlineProjections, type ProjectionsOfAppend } from './event-store/inline-projections.js';
export { LogHistory } from './event-store/log-history.js';
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
} from './event-store/read-events.js';
export { countPositions, MARK_NEW_HISTORY, newestPositionSql, readLaterHistories, type LaterHistory } from './event-store/sequences.js';
export { assertLogIntact, copyStoredEvents, lastStoredPosition, readStoredEvents } from './event-store/stored-log.js';
export { LEASES_TABLE, processMigrations } from './processes/create-process-leases.migration.js';
export { Leases, type LeasedTable } from './processes/leases.js';
export { ProcessesModule } from './processes/processes.module.js';
export { TimeoutSchedule } from './processes/timeout-schedule.js';
export { TimeoutCatalog, type TimeoutSource } from './processes/timeouts.js';
export { toPage, type Page, type PageRange } from './projections/page.js';
export { projectionMigrations } from './projections/projection-checkpoints.js';
export { ProjectionPruning } from './projections/projection-pruning.js';
export { ProjectionRebuilder, type ReplayProgress } from './projections/projection-rebuilder.js';
export { ProjectionStatuses, type ProjectionStatus } from './projections/projection-statuses.js';
export { findDerivedTables, projectionTableName } from './projections/projection-tables.js';
export { ProjectionVerification } from './projections/projection-verification.js';
export {
  ProjectionCatalog,
  type Projection,
  type ProjectionColumn,
  type ProjectionTable,
  type ProjectionTarget,
} from './projections/projection.js';
export { ProjectionsModule } from './projections/projections.module.js';
export { ReadModels } from './projections/read-models.js';
