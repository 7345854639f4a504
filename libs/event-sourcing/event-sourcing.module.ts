import { Module, type DynamicModule, type OnModuleInit } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { EventRegistry, type EventDefinition } from './event-store/event.js';
import { EventStore } from './event-store/event-store.js';
import { CommitMetrics } from './event-store/group-commit.js';
import { LogHistory } from './event-store/log-history.js';
import { RecordingTimes } from './event-store/sequences.js';
import { FollowerProcess } from './processes/followers.js';
import { Leases } from './processes/leases.js';
import { POLLS, TimeoutSchedule } from './processes/timeouts.js';
import { ReadModels } from './projections/read-models.js';
import { ProjectionCatalog, type Projection } from './projections/projection.js';
import { ProjectionRebuilder } from './projections/projection-rebuilder.js';

interface EventSourcingOptions {
  /** The event types of all modules. */
  readonly events: readonly EventDefinition[];
  /** The projections of all modules. */
  readonly projections: readonly Projection[];
  /** Whether timeouts fire and followers are called automatically; otherwise only by `TimeoutSchedule.run` and `FollowerProcess.run`. */
  readonly polls: boolean;
}

/** Provides the log, projections, timeouts, followers and leases to all modules. Needs `Database`, `Clock` and `MetricsRegistry`. */
@Module({})
export class EventSourcingModule implements OnModuleInit {
  constructor(
    private readonly catalog: ProjectionCatalog,
    private readonly rebuilder: ProjectionRebuilder,
    private readonly readModels: ReadModels,
  ) {}

  static forRoot({ events, projections, polls }: EventSourcingOptions): DynamicModule {
    const store = [EventStore, LogHistory];
    const readModels = [ProjectionRebuilder, ReadModels];
    const processes = [TimeoutSchedule, Leases, FollowerProcess];
    return {
      module: EventSourcingModule,
      global: true,
      imports: [DiscoveryModule],
      providers: [
        { provide: EventRegistry, useValue: new EventRegistry(events) },
        { provide: ProjectionCatalog, useValue: new ProjectionCatalog(projections) },
        { provide: POLLS, useValue: polls },
        ...[CommitMetrics, RecordingTimes],
        ...[...store, ...readModels, ...processes],
      ],
      exports: [EventRegistry, ProjectionCatalog, ...store, ...readModels, ...processes],
    };
  }

  /** Builds missing tables and brings all up to date before anything is served. */
  async onModuleInit(): Promise<void> {
    await this.rebuilder.prepareAll();
    for (const projection of this.catalog.all()) await this.readModels.current(projection);
  }
}
