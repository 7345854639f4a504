import { Module, type DynamicModule } from '@nestjs/common';
import { Gauge, Registry, type LabelValues } from 'prom-client';
import { Health } from './health.js';
import { ManagementServer } from './management-server.js';

/** A value of a gauge and its labels; left out if it is undefined. */
export type Sample = readonly [value: number | bigint | undefined, labels?: LabelValues<string>];

/** The metrics of one running service. Every module adds its own. */
export class MetricsRegistry extends Registry {
  /** @param prefix what the names of the metrics that libraries add begin with, such as `shop_` */
  constructor(readonly prefix = '') {
    super();
  }

  /** Adds a gauge that is read for each scrape, and absent without samples. */
  addGauge(name: string, help: string, read: () => readonly Sample[] | Promise<readonly Sample[]>, labelNames: string[] = []): void {
    const gauge = new Gauge({
      name,
      help,
      labelNames,
      registers: [this],
      async collect() {
        const samples = await read();
        // A gauge without labels would be 0 after `reset`.
        if (labelNames.length === 0) gauge.remove();
        else gauge.reset();
        for (const [value, labels = {}] of samples) if (value !== undefined) gauge.set(labels, Number(value));
      },
    });
  }
}

/** Provides all modules with the metrics registry, the health of the service and the management port. */
@Module({})
export class MonitoringModule {
  static forRoot(registry = new MetricsRegistry()): DynamicModule {
    return {
      module: MonitoringModule,
      global: true,
      providers: [{ provide: MetricsRegistry, useValue: registry }, Health, ManagementServer],
      exports: [MetricsRegistry, Health, ManagementServer],
    };
  }
}
