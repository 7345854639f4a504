import { Module, type DynamicModule } from '@nestjs/common';
import { Health, HealthCatalog } from './health.js';
import { ManagementServer } from './management-server.js';
import { MetricsRegistry } from './metrics-registry.js';

/** Provides all modules with the metrics registry, the catalog of health indicators, `Health` and the management port. */
@Module({})
export class MonitoringModule {
  static forRoot(registry = new MetricsRegistry()): DynamicModule {
    return {
      module: MonitoringModule,
      global: true,
      providers: [{ provide: MetricsRegistry, useValue: registry }, HealthCatalog, Health, ManagementServer],
      exports: [MetricsRegistry, HealthCatalog, Health, ManagementServer],
    };
  }
}
