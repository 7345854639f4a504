import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics } from 'prom-client';
import { Database } from '#libs/database';
import { EventStore } from '#libs/event-store';
import { Health } from '#libs/health';
import { MetricsRegistry } from '#libs/metrics';
import { ProjectionStatuses } from '#libs/projections';
import { registerHealthMetrics } from './health.metrics.js';
import { registerProjectionMetrics } from './projections.metrics.js';
import { registerStorageMetrics } from './storage.metrics.js';

/** Registers the metrics of what no module of its own counts: the process, the database, the projections, readiness. */
@Injectable()
export class ServiceMetrics {
  constructor(registry: MetricsRegistry, health: Health, database: Database, eventStore: EventStore, projections: ProjectionStatuses) {
    collectDefaultMetrics({ register: registry, prefix: 'adoption_' });
    registerHealthMetrics(registry, health);
    registerProjectionMetrics(registry, { eventStore, projections });
    registerStorageMetrics(registry, database);
  }
}
