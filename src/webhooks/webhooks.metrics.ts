import { Injectable } from '@nestjs/common';
import { Counter } from 'prom-client';
import { Clock, CachedReading, MetricsRegistry } from '#libs/observability';
import { DeliveryStore } from './records/delivery.store.js';

/** The metrics of webhooks. */
@Injectable()
export class WebhookMetrics {
  /** Returns when the oldest event happened that this instance has not sent yet, in milliseconds since 1970; Infinity if there is none. */
  oldestUnsent = (): number => Infinity;
  readonly deliveries: Counter<'outcome'>;
  readonly disabled: Counter<'reason'>;

  constructor(registry: MetricsRegistry, deliveries: DeliveryStore, clock: Clock) {
    const registers = [registry];
    this.deliveries = new Counter({
      name: 'adoption_webhook_deliveries_total',
      help: 'Attempts of this instance that were delivered or failed, and messages that it gave up after the last one',
      labelNames: ['outcome'],
      registers,
    });
    for (const outcome of ['delivered', 'failed', 'given_up']) this.deliveries.inc({ outcome }, 0);
    this.disabled = new Counter({
      name: 'adoption_webhooks_disabled_total',
      help: 'Endpoints that this instance disabled, because they are gone or failed for too long',
      labelNames: ['reason'],
      registers,
    });
    for (const reason of ['gone', 'failing']) this.disabled.inc({ reason }, 0);
    const oldestRetried = new CachedReading(() => deliveries.oldestRetriedEvent());
    registry.addGauge(
      'adoption_webhook_oldest_undelivered_seconds',
      'Age of the oldest event that waits to be sent, for the first time by this instance or again by any; 0 if none does, absent while it is unknown',
      async () => {
        const retried = await oldestRetried.get();
        return retried === undefined ? [] : [[Math.max(0, clock.now().getTime() - Math.min(retried, this.oldestUnsent())) / 1_000]];
      },
    );
  }
}
