import { Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import type { Migration } from '#libs/database';
import { Health, ManagementServer, MetricsRegistry, type RetentionRule } from '#libs/operations';
import { HealthIndicators, MIGRATIONS } from './health-indicators.js';
import { registerManagementPages } from './management.js';
import { RETENTION_RULES, RetentionSchedule } from './retention-schedule.js';
import { ServiceMetrics } from './service.metrics.js';

export interface OperationsModuleOptions {
  /** All that the build knows. */
  readonly migrations: readonly Migration[];
  /** What of all modules need not be kept for ever. */
  readonly retention: readonly RetentionRule[];
}

/** What it takes to run the service: readiness, metrics, the management port, and removing what need not be kept. */
@Module({})
export class OperationsModule implements OnApplicationShutdown {
  constructor(
    private readonly management: ManagementServer,
    health: Health,
    metrics: MetricsRegistry,
  ) {
    registerManagementPages(management, { health, metrics });
  }

  static forRoot({ migrations, retention }: OperationsModuleOptions): DynamicModule {
    return {
      module: OperationsModule,
      providers: [
        { provide: MIGRATIONS, useValue: migrations },
        HealthIndicators,
        ServiceMetrics,
        { provide: RETENTION_RULES, useValue: retention },
        RetentionSchedule,
      ],
    };
  }

  /** Comes after the last request, so that the way down can be watched. */
  async onApplicationShutdown(): Promise<void> {
    await this.management.close();
  }
}
