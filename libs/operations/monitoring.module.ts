import { Module, type DynamicModule } from '@nestjs/common';
import { Health } from './health.js';
import { HealthCatalog } from './health-catalog.js';
import { ManagementServer } from './management-server.js';
import { MetricsRegistry } from './metrics-registry.js';

/** Provides all modules with the catalog and the registry in which their health indicators and metrics register themselves, `Health`, and the management port. */
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
