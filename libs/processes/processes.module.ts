import { Module, type DynamicModule } from '@nestjs/common';
import { ProcessLeases } from './process-leases.js';
import { TimeoutCatalog } from './timeout-catalog.js';
import { POLLS, TimeoutSchedule } from './timeout-schedule.js';
import { TimeoutMetrics } from './timeouts.metrics.js';

export interface ProcessesModuleOptions {
  /** Whether timeouts fire by themselves from the start on; else nothing fires but by `TimeoutSchedule.run`. */
  readonly polls: boolean;
}

/** Provides all modules with the catalog in which they register their timeouts. Needs `Database`, `Clock` and `MetricsRegistry`. */
@Module({})
export class ProcessesModule {
  static forRoot({ polls }: ProcessesModuleOptions): DynamicModule {
    return {
      module: ProcessesModule,
      global: true,
      providers: [TimeoutCatalog, ProcessLeases, { provide: POLLS, useValue: polls }, TimeoutSchedule, TimeoutMetrics],
      exports: [TimeoutCatalog, TimeoutSchedule],
    };
  }
}
