import { Injectable, type OnModuleInit } from '@nestjs/common';
import { HealthCatalog, type HealthIndicator, type HealthIndicatorResult } from '#libs/operations';
import { LimiterStatus } from './store/limiter.store.js';

/** Whether requests are counted as they should be: without Redis limits hold for each instance alone, but every request is answered. */
@Injectable()
export class CountingHealthIndicator implements HealthIndicator, OnModuleInit {
  readonly name = 'counting';

  constructor(
    private readonly catalog: HealthCatalog,
    private readonly status: LimiterStatus,
  ) {}

  onModuleInit(): void {
    this.catalog.register(this);
  }

  check(): HealthIndicatorResult {
    const { counting } = this.status;
    if (counting !== 'alone') return { state: 'ready', detail: counting };
    return { state: 'degraded', detail: 'Redis does not answer; this instance counts alone' };
  }
}
