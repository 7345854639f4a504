import { Injectable } from '@nestjs/common';
import { Counter, Gauge } from 'prom-client';
import { Clock } from '#libs/clock';
import { CachedReading, MetricsRegistry } from '#libs/operations';
import type { DisabledReason } from './domain/webhook.js';
import { PendingDeliveries } from './records/pending-deliveries.js';

const SAMPLE = { freshFor: 1_000, patience: 1_000 };
const OUTCOMES = ['delivered', 'failed', 'given_up'] as const;
const REASONS = ['gone', 'failing'] as const satisfies readonly DisabledReason[];

/** The metrics of the webhooks. */
@Injectable()
export class WebhookMetrics {
  /** Tells when the oldest event happened that this instance has not sent for the first time yet. */
  oldestUnsent: () => Date | undefined = () => undefined;
  private readonly deliveries: Counter;
  private readonly disabled: Counter;

  constructor(registry: MetricsRegistry, pending: PendingDeliveries, clock: Clock) {
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
    const sample = new CachedReading(async () => ({ failed: await pending.oldestEvent() }), SAMPLE);
    const oldest = new Gauge({
      name: 'adoption_webhook_oldest_undelivered_seconds',
      help: 'Age of the oldest event that waits to be sent, for the first time by this instance or once more by any; 0 where none does, absent while that cannot be told',
      registers,
      collect: async (): Promise<void> => {
        oldest.remove();
        const known = await sample.get();
        if (known) oldest.set(ageOf([known.failed, this.oldestUnsent()], clock.now()));
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

function ageOf(times: readonly (Date | undefined)[], now: Date): number {
  const ages = times.flatMap((time) => (time ? [(now.getTime() - time.getTime()) / 1_000] : []));
  return Math.max(0, ...ages);
}
