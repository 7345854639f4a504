import { Gauge } from 'prom-client';
import type { Health } from '#libs/health';
import type { MetricsRegistry } from '#libs/metrics';

/** What readiness says, as figures. */
export function registerHealthMetrics(registry: MetricsRegistry, health: Health): void {
  const registers = [registry];
  const ready = new Gauge({
    name: 'adoption_ready',
    help: '1 while the service may get requests, else 0',
    registers,
    async collect() {
      ready.set((await health.report()).status === 'ready' ? 1 : 0);
    },
  });
  const parts = new Gauge({
    name: 'adoption_part_state',
    help: '1 for the state that a part of the service is in, 0 for the others',
    labelNames: ['part', 'state'],
    registers,
    async collect() {
      for (const [part, { state }] of Object.entries((await health.report()).parts)) {
        for (const each of ['ready', 'degraded', 'unavailable']) parts.set({ part, state: each }, each === state ? 1 : 0);
      }
    },
  });
}
