import { Module, type DynamicModule } from '@nestjs/common';
import { Leases } from './leases.js';
import { POLLS, TimeoutCatalog, TimeoutMetrics, TimeoutSchedule } from './timeouts.js';

/** Provides all modules with timeouts and leases. Needs `Database`, `Clock` and `MetricsRegistry`. */
@Module({})
export class ProcessesModule {
  /** @param polls whether timeouts fire automatically; otherwise only `TimeoutSchedule.run` fires them */
  static forRoot({ polls }: { readonly polls: boolean }): DynamicModule {
    return {
      module: ProcessesModule,
      global: true,
      providers: [TimeoutCatalog, Leases, { provide: POLLS, useValue: polls }, TimeoutSchedule, TimeoutMetrics],
      exports: [TimeoutCatalog, TimeoutSchedule, Leases],
    };
  }
}
