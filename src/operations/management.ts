import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Health, type HealthReport, ManagementServer, type ManagementAnswer, type MetricsRegistry } from '#libs/observability';

const NOT_CACHED = { 'cache-control': 'no-store' };

/** Serves metrics in Prometheus' text format, and readiness with its parts. */
export function registerManagementPages(
  server: ManagementServer,
  { health, metrics }: { readonly health: Health; readonly metrics: MetricsRegistry },
): void {
  server.register('/metrics', async () => ({ status: 200, contentType: metrics.contentType, body: await metrics.metrics() }));
  server.register('/health/live', () => json(200, { status: 'live' }));
  server.register('/health/ready', async () => {
    const report = await health.report();
    return json(statusCode(report.status), report);
  });
}

function json(status: number, body: object): ManagementAnswer {
  return { status, contentType: 'application/json; charset=utf-8', body: `${JSON.stringify(body, null, 2)}\n` };
}

/**
 * Serves `/health/live`, which checks only this process, and `/health/ready`. Both report only a status; the management port reports the parts.
 * Call it before the application is initialised.
 */
export function installHealth(app: NestFastifyApplication): void {
  const server = app.getHttpAdapter().getInstance();
  const health = app.get(Health);
  const options = { config: { access: 'public' } } as const;
  server.get('/health/live', options, (_request, reply) => reply.headers(NOT_CACHED).send({ status: 'live' }));
  server.get('/health/ready', options, async (_request, reply) => {
    const { status } = await health.report();
    return reply.code(statusCode(status)).headers(NOT_CACHED).send({ status });
  });
}

function statusCode(status: HealthReport['status']): number {
  return status === 'ready' ? 200 : 503;
}
