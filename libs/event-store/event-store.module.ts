import { Global, Module } from '@nestjs/common';
import { EventRegistry } from './event-registry.js';
import { EventStore } from './event-store.js';
import { EventStoreMetrics } from './event-store.metrics.js';
import { RecordingTimes } from './recording-times.js';
import { SqlEventStore } from './sql-event-store.js';

/** Provides `EventStore` and `EventRegistry` to all modules. Needs `Database`, `Clock`, `InlineProjections` and `MetricsRegistry`. */
@Global()
@Module({
  providers: [EventRegistry, EventStoreMetrics, RecordingTimes, { provide: EventStore, useClass: SqlEventStore }],
  exports: [EventRegistry, EventStore],
})
export class EventStoreModule {}
