import { Module, type DynamicModule } from '@nestjs/common';
import { EventRegistry, type EventDefinition } from './event.js';
import { EventStore } from './event-store.js';
import { CommitMetrics } from './group-commit.js';
import { LogHistory } from './log-history.js';
import { RecordingTimes } from './sequences.js';

/** Provides `EventStore`, `EventRegistry` and `LogHistory` to all modules. Needs `Database`, `Clock`, `InlineProjections` and `MetricsRegistry`. */
@Module({})
export class EventStoreModule {
  /** @param events the event types of all modules */
  static forRoot(events: readonly EventDefinition[]): DynamicModule {
    return {
      module: EventStoreModule,
      global: true,
      providers: [{ provide: EventRegistry, useValue: new EventRegistry(events) }, CommitMetrics, RecordingTimes, LogHistory, EventStore],
      exports: [EventRegistry, EventStore, LogHistory],
    };
  }
}
