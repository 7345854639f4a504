import type { FastifyReply } from 'fastify';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Health, type HealthReport, ManagementServer, type MetricsRegistry } from '#libs/observability';

/** Serves metrics in Prometheus' text format, and readiness with its parts. */
export function registerManagementPages(
  server: ManagementServer,
  { health, metrics }: { readonly health: Health; readonly metrics: MetricsRegistry },
): void {
  server.register('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.metrics()));
  server.register('/health/live', () => ({ status: 'live' }));
  server.register('/health/ready', async (_request, reply) => {
    const report = await health.report();
    return setReadiness(reply, report).send(report);
  });
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
