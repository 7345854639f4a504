import { Module, type DynamicModule } from '@nestjs/common';
import { Registry } from 'prom-client';
import { Health } from './health.js';
import { ManagementServer } from './management-server.js';

/** The metrics of one running service. Every module adds its own. */
export class MetricsRegistry extends Registry {
  /** @param prefix what the names of the metrics that libraries add begin with, such as `shop_` */
  constructor(readonly prefix = '') {
    super();
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
