import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Gauge } from 'prom-client';
import { Clock } from '#libs/clock';
import { Database } from '#libs/database';
import { EventStore } from '#libs/event-store';
import { Health, MetricsRegistry } from '#libs/operations';
import { ProjectionStatuses } from '#libs/projections';
import { registerProjectionMetrics } from './projections.metrics.js';
import { registerStorageMetrics } from './storage.metrics.js';

/** Registers the metrics of what no module of its own counts: the process, the database, the projections, readiness. */
@Injectable()
export class ServiceMetrics {
  constructor(
    registry: MetricsRegistry,
    health: Health,
    database: Database,
    eventStore: EventStore,
    projections: ProjectionStatuses,
    clock: Clock,
  ) {
    collectDefaultMetrics({ register: registry, prefix: registry.prefix });
    registerHealthMetrics(registry, health);
    registerProjectionMetrics(registry, { eventStore, projections });
    registerStorageMetrics(registry, database);
    registerClockMetrics(registry, clock);
  }
}

/** How far the machine's clock is off. */
function registerClockMetrics(registry: MetricsRegistry, clock: Clock): void {
  const skew = new Gauge({
    name: 'adoption_clock_skew_seconds',
    help: "Seconds by which this machine's clock is ahead of the database's, by which all instances go; negative if it is behind",
    registers: [registry],
    collect() {
      skew.set(clock.skew / 1_000);
    },
  });
}

/** What readiness says, as figures. */
function registerHealthMetrics(registry: MetricsRegistry, health: Health): void {
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
