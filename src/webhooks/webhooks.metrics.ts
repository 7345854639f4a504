import { Injectable } from '@nestjs/common';
import { Counter, Gauge } from 'prom-client';
import { Clock, CachedReading, MetricsRegistry } from '#libs/observability';
import { DeliveryStore } from './records/delivery.store.js';

const OUTCOMES = ['delivered', 'failed', 'given_up'] as const;
const REASONS = ['gone', 'failing'] as const;

/** The metrics of webhooks. */
@Injectable()
export class WebhookMetrics {
  /** Returns when the oldest event happened that this instance has not sent for the first time yet. */
  oldestUnsent: () => Date | undefined = () => undefined;
  private readonly deliveries: Counter<'outcome'>;
  private readonly disabled: Counter<'reason'>;

  constructor(registry: MetricsRegistry, deliveries: DeliveryStore, clock: Clock) {
    const registers = [registry];
    this.deliveries = new Counter({
      name: 'adoption_webhook_deliveries_total',
      help: 'Attempts of this instance that were delivered or failed, and messages that it gave up after the last one',
      labelNames: ['outcome'],
      registers,
    });
    for (const outcome of OUTCOMES) this.deliveries.inc({ outcome }, 0);
    this.disabled = new Counter({
      name: 'adoption_webhooks_disabled_total',
      help: 'Endpoints that this instance disabled, because they are gone or failed for too long',
      labelNames: ['reason'],
      registers,
    });
    for (const reason of REASONS) this.disabled.inc({ reason }, 0);
    const retried = new CachedReading(async () => ({ oldest: await deliveries.oldestRetriedEvent() }), {
      maxAge: 1_000,
      patience: 1_000,
    });
    const oldest = new Gauge({
      name: 'adoption_webhook_oldest_undelivered_seconds',
      help: 'Age of the oldest event that waits to be sent, for the first time by this instance or once more by any; 0 where none does, absent while that cannot be told',
      registers,
      collect: async (): Promise<void> => {
        oldest.remove();
        const known = await retried.get();
        if (!known) return;
        const now = clock.now().getTime();
        oldest.set(Math.max(0, ...[known.oldest, this.oldestUnsent()].map((time) => (now - (time?.getTime() ?? now)) / 1_000)));
      },
    });
  }

  attempted(outcome: (typeof OUTCOMES)[number]): void {
    this.deliveries.inc({ outcome });
  }

  disabledFor(reason: (typeof REASONS)[number]): void {
    this.disabled.inc({ reason });
  }
}
