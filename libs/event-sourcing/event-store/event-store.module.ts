import { Module, type DynamicModule } from '@nestjs/common';
import { RecordingTimes } from './append-group.js';
import { EventRegistry, type EventDefinition } from './event.js';
import { EventStoreMetrics } from './event-store.metrics.js';
import { EventStore } from './event-store.js';
import { LogHistory } from './log-history.js';

/** Provides `EventStore`, `EventRegistry` and `LogHistory` to all modules. Needs `Database`, `Clock`, `InlineProjections` and `MetricsRegistry`. */
@Module({})
export class EventStoreModule {
  /** @param events the event types of all modules */
  static forRoot(events: readonly EventDefinition[]): DynamicModule {
    return {
      module: EventStoreModule,
      global: true,
      providers: [
        { provide: EventRegistry, useValue: new EventRegistry(events) },
        EventStoreMetrics,
        RecordingTimes,
        LogHistory,
        EventStore,
      ],
      exports: [EventRegistry, EventStore, LogHistory],
    };
  }
}
