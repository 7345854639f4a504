import type { Health } from '#libs/health';
import type { ManagementAnswer, ManagementPage } from '#libs/management';
import type { MetricsRegistry } from '#libs/metrics';

/** What the management port tells: metrics in Prometheus' text format, and readiness with its parts. */
export function managementPages(health: Health, metrics: MetricsRegistry): ReadonlyMap<string, ManagementPage> {
  return new Map<string, ManagementPage>([
    ['/metrics', async () => ({ status: 200, contentType: metrics.contentType, body: await metrics.metrics() })],
    ['/health/live', () => json(200, { status: 'live' })],
    ['/health/ready', () => readiness(health)],
  ]);
}

async function readiness(health: Health): Promise<ManagementAnswer> {
  const report = await health.report();
  return json(report.status === 'ready' ? 200 : 503, report);
}

function json(status: number, body: object): ManagementAnswer {
  return { status, contentType: 'application/json; charset=utf-8', body: `${JSON.stringify(body, null, 2)}\n` };
}
