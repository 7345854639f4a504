import { Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import type { Migration } from '#libs/database';
import { Health } from '#libs/health';
import { ManagementServer } from '#libs/management';
import { MetricsRegistry } from '#libs/metrics';
import { HealthParts } from './health/health-parts.js';
import { managementPages } from './management/management-pages.js';
import { ServiceMetrics } from './metrics/service-metrics.js';
import { MIGRATIONS } from './migrations.token.js';
import { RETENTION_RULES, retentionRules } from './retention/retention-rules.js';
import { RetentionSchedule } from './retention/retention-schedule.js';

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
        HealthParts,
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
