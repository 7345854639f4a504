import { Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { Clock, CachedReading, MetricsRegistry } from '#libs/observability';
import { TimeoutCatalog } from './timeouts.js';

/** How late timeouts are: read at most once a second, absent while the database cannot be read. */
@Injectable()
export class TimeoutMetrics {
  constructor(registry: MetricsRegistry, clock: Clock, catalog: TimeoutCatalog) {
    const oldest = new CachedReading(() => oldestOf(catalog), { freshFor: 1_000, patience: 1_000 });
    const gauge = new Gauge({
      name: `${registry.prefix}oldest_due_timeout_seconds`,
      help: 'Seconds since the oldest timeout that has not fired should have; 0 while none is due',
      registers: [registry],
      async collect() {
        gauge.remove();
        const time = await oldest.get();
        if (time !== undefined) gauge.set(Math.max(0, clock.now().getTime() - time) / 1_000);
      },
    });
  }
}

/** In milliseconds since 1970; Infinity if there are no timeouts. */
async function oldestOf(catalog: TimeoutCatalog): Promise<number> {
  const times = await Promise.all(catalog.all().map((source) => source.oldestDue()));
  return Math.min(...times.map((time) => time?.getTime() ?? Infinity));
}
