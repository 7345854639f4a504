import { Module, type DynamicModule } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply } from 'fastify';
import type { ModuleContext } from '#libs/http';
import { Health, ManagementServer, MetricsRegistry, type HealthReport } from '#libs/observability';
import { HealthIndicators, MIGRATIONS } from './health-indicators.js';
import { RETENTION_RULES, RetentionSchedule } from './retention-schedule.js';
import { ServiceMetrics } from './service.metrics.js';

/** Readiness, retention, and metrics in Prometheus' text format. Readiness has its parts only on the management port. */
@Module({})
export class OperationsModule {
  constructor(management: ManagementServer, health: Health, metrics: MetricsRegistry) {
    management.register('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.metrics()));
    management.register('/health/live', () => ({ status: 'live' }));
    management.register('/health/ready', async (_request, reply) => {
      const report = await health.report();
      return setReadiness(reply, report).send(report);
    });
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

/**
 * Serves `/health/live`, which checks only this process, and `/health/ready`. Both report only a status; the management port reports the parts.
 * Call it before the application is initialised.
 */
export function installHealth(app: NestFastifyApplication): void {
  const server = app.getHttpAdapter().getInstance();
  const health = app.get(Health);
  const options = { config: { access: 'public' } } as const;
  server.get('/health/live', options, (_request, reply) => reply.header('cache-control', 'no-store').send({ status: 'live' }));
  server.get('/health/ready', options, async (_request, reply) => {
    const report = await health.report();
    return setReadiness(reply, report).header('cache-control', 'no-store').send({ status: report.status });
  });
}

function setReadiness(reply: FastifyReply, { status }: HealthReport): FastifyReply {
  return reply.code(status === 'ready' ? 200 : 503);
}
