import { Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import type { Migration } from '#libs/database';
import { Health, ManagementServer, MetricsRegistry } from '#libs/operations';
import { HealthIndicators, MIGRATIONS } from './health-indicators.js';
import { managementPages } from './management.js';
import { RETENTION_RULES, retentionRules } from './retention/retention-rules.js';
import { RetentionSchedule } from './retention-schedule.js';
import { ServiceMetrics } from './service.metrics.js';

export interface OperationsModuleOptions {
  /** All that the build knows. */
  readonly migrations: readonly Migration[];
  /** How long an idempotency key is kept, in milliseconds. */
  readonly idempotencyRetention: number;
}

/** What it takes to run the service: readiness, metrics, the management port, and removing what need not be kept. */
@Module({})
export class OperationsModule implements OnApplicationShutdown {
  constructor(private readonly management: ManagementServer) {}

  static forRoot({ migrations, idempotencyRetention }: OperationsModuleOptions): DynamicModule {
    return {
      module: OperationsModule,
      providers: [
        { provide: MIGRATIONS, useValue: migrations },
        HealthIndicators,
        ServiceMetrics,
        { provide: RETENTION_RULES, useValue: retentionRules({ idempotencyKeys: idempotencyRetention }) },
        RetentionSchedule,
        {
          provide: ManagementServer,
          inject: [Health, MetricsRegistry],
          useFactory: (health: Health, metrics: MetricsRegistry) => new ManagementServer(managementPages(health, metrics)),
        },
      ],
    };
  }

  /** Comes after the last request, so that the way down can be watched. */
  async onApplicationShutdown(): Promise<void> {
    await this.management.close();
  }
}
