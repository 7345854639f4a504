import { Module, type DynamicModule } from '@nestjs/common';
import type { ModuleContext } from '#libs/http';
import { Health, ManagementServer, MetricsRegistry } from '#libs/observability';
import { HealthIndicators, MIGRATIONS } from './health-indicators.js';
import { registerManagementPages } from './management.js';
import { RETENTION_RULES, RetentionSchedule } from './retention-schedule.js';
import { ServiceMetrics } from './service.metrics.js';

/** Readiness, metrics, the management port, and retention. */
@Module({})
export class OperationsModule {
  constructor(management: ManagementServer, health: Health, metrics: MetricsRegistry) {
    registerManagementPages(management, { health, metrics });
  }

  static forRoot({ migrations, retention }: Pick<ModuleContext, 'migrations' | 'retention'>): DynamicModule {
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
}
