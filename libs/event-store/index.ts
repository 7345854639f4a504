export { executeDecider, type Decider } from './decider.js';
export type { DomainEvent, EventMetadata, RecordedEvent } from './event.js';
export { EventRegistry, type EventDefinition } from './event-registry.js';
export {
  EventStore,
  type AppendOptions,
  type AppendResult,
  type ExpectedVersion,
  type Idempotency,
  type NewStream,
  type ReadAllOptions,
  type StreamAppend,
} from './event-store.js';
export { ConcurrencyError, IdempotencyKeyInProgressError, IdempotencyKeyReusedError } from './event-store.errors.js';
export { EventStoreModule } from './event-store.module.js';
export { InlineProjections, type ProjectionsOfAppend } from './inline-projections.js';
export { CreateEventLog1767225600000 } from './migrations/create-event-log.migration.js';
export { NotePositionsOfEventTypes1767226400000 } from './migrations/note-positions-of-event-types.migration.js';
export { readEventsOfTypes, readLog, type LogPage } from './read-log.js';
export type { StoredEvent } from './event-row.js';
export { copyStoredEvents, lastStoredPosition, readStoredEvents, refuseDamagedLog } from './stored-log.js';
export { newestPositionOf } from './sequences.js';
