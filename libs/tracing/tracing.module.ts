import { Module, type DynamicModule } from '@nestjs/common';
import { NO_TRACING, Tracing } from './tracing.js';

/** Provides all modules with `Tracing`. Who starts it ends it. */
@Module({})
export class TracingModule {
  static forRoot(tracing: Tracing = NO_TRACING): DynamicModule {
    return { module: TracingModule, global: true, providers: [{ provide: Tracing, useValue: tracing }], exports: [Tracing] };
  }
}
