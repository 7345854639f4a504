import { Injectable } from '@nestjs/common';
import { HealthCatalog, type HealthPart, type PartState } from '#libs/health';
import { LimiterStatus } from './store/limiter.store.js';

/** Whether requests are counted as they should be: without Redis limits hold for each instance alone, but every request is answered. */
@Injectable()
export class CountingPart implements HealthPart {
  readonly name = 'counting';

  constructor(
    catalog: HealthCatalog,
    private readonly status: LimiterStatus,
  ) {
    catalog.register(this);
  }

  check(): PartState {
    const { counting } = this.status;
    if (counting !== 'alone') return { state: 'ready', detail: counting };
    return { state: 'degraded', detail: 'Redis does not answer; this instance counts alone' };
  }
}
