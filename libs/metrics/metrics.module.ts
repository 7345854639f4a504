import { Module, type DynamicModule } from '@nestjs/common';
import { MetricsRegistry } from './metrics-registry.js';

/** Provides the registry to all modules. */
@Module({})
export class MetricsModule {
  static forRoot(registry = new MetricsRegistry()): DynamicModule {
    return {
      module: MetricsModule,
      global: true,
      providers: [{ provide: MetricsRegistry, useValue: registry }],
      exports: [MetricsRegistry],
    };
  }
}
