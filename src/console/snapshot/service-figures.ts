import { hostname } from 'node:os';
import { Inject, Injectable } from '@nestjs/common';
import { Database, listInstances } from '#libs/database';
import { CachedReading, Health, MetricsRegistry } from '#libs/operations';
import type { Deployment } from '../../auth/index.js';
import { VERSION } from '../../config/index.js';
import { sumsBy, valuesOf } from '../metric-values.js';
import { SAMPLE } from './sample.js';

export const SERVICE = Symbol('what is known of this process from its start');

/** What is known of this process from its start. */
export interface ServiceFacts {
  readonly version: string;
  readonly deployment: Deployment;
  readonly node: string;
  readonly host: string;
  readonly process: number;
  /** In milliseconds since 1970. */
  readonly startedAt: number;
}

export function thisService(deployment: Deployment): ServiceFacts {
  const startedAt = Math.round(performance.timeOrigin);
  return { version: VERSION, deployment, node: process.version, host: hostname(), process: process.pid, startedAt };
}

/** How this instance is, and which others there are. */
@Injectable()
export class ServiceFigures {
  private readonly instances: CachedReading<readonly object[]>;

  constructor(
    @Inject(SERVICE) private readonly facts: ServiceFacts,
    private readonly health: Health,
    private readonly registry: MetricsRegistry,
    private readonly database: Database,
  ) {
    this.instances = new CachedReading(() => this.listInstances(), SAMPLE);
  }

  async read(): Promise<object> {
    const [health, instances, statuses, limiter] = await Promise.all([
      this.health.report(),
      this.instances.get(),
      this.statuses(),
      this.limiter(),
    ]);
    return {
      service: {
        title: 'Animal adoption service',
        ...this.facts,
        database: this.database.dialect.name === 'sqlite' ? 'SQLite' : 'PostgreSQL',
      },
      statuses,
      health: { ...health, parts: Object.entries(health.parts).map(([name, result]) => ({ name, ...result })) },
      limiter,
      instances: instances ?? null,
    };
  }

  /** Requests since the start by status, ascending. */
  private async statuses(): Promise<object[]> {
    const totals = sumsBy(await valuesOf(this.registry, 'adoption_http_requests_total'), 'status');
    return [...totals].sort(([left], [right]) => left.localeCompare(right)).map(([status, total]) => ({ status, total }));
  }

  private async limiter(): Promise<object> {
    const [modes, tracked] = await Promise.all([
      valuesOf(this.registry, 'adoption_rate_limit_counting'),
      valuesOf(this.registry, 'adoption_rate_limit_tracked'),
    ]);
    const trackedBy = (label: string) => tracked.find(({ labels }) => labels['counted_by'] === label)?.value ?? 0;
    return {
      counting: modes.find(({ value }) => value === 1)?.labels['mode'] ?? null,
      tracked: { keys: trackedBy('key'), addresses: trackedBy('address') },
    };
  }

  private async listInstances(): Promise<readonly object[]> {
    const instances = await listInstances(this.database);
    const { host, process: id, version, startedAt } = this.facts;
    if (!instances) return [{ host, process: id, version, since: new Date(startedAt).toISOString(), here: true, connections: null }];
    return instances.map(({ application, connectedSince, isThis, ...instance }) => ({
      ...instance,
      version: application.slice(application.indexOf('/') + 1),
      since: connectedSince.toISOString(),
      here: isThis,
    }));
  }
}
