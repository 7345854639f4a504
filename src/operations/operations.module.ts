import { Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import type { Migration } from '#libs/database';
import { Health, ManagementServer, MetricsRegistry, type RetentionRule } from '#libs/observability';
import { HealthIndicators, MIGRATIONS } from './health-indicators.js';
import { registerManagementPages } from './management.js';
import { RETENTION_RULES, RetentionSchedule } from './retention-schedule.js';
import { ServiceMetrics } from './service.metrics.js';

export interface OperationsModuleOptions {
  /** All migrations of this build. */
  readonly migrations: readonly Migration[];
  /** The retention rules of all modules. */
  readonly retention: readonly RetentionRule[];
}

/** Readiness, metrics, the management port, and retention. */
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

  /** Runs after the last request, so that the shutdown can be watched. */
  async onApplicationShutdown(): Promise<void> {
    await this.management.close();
  }
}
