import { Injectable } from '@nestjs/common';
import { Counter } from 'prom-client';
import type { RecordedEvent } from '#libs/event-sourcing';
import { CachedReading, MetricsRegistry } from '#libs/observability';
import { orderEvents } from './domain/order.events.js';
import { ORDER_STATUSES } from './domain/order.js';
import { OrderReader } from './read-model/order.reader.js';

const EVENT_TYPES = new Set<string>(Object.keys(orderEvents));

/** The metrics of the orders. */
@Injectable()
export class OrderMetrics {
  private readonly outcomes: Counter;

  constructor(registry: MetricsRegistry, orders: OrderReader) {
    this.outcomes = new Counter({
      name: 'adoption_orders_total',
      help: 'Orders that this instance placed, approved, delivered, cancelled or expired',
      labelNames: ['outcome'],
      registers: [registry],
    });
    for (const outcome of ORDER_STATUSES) this.outcomes.inc({ outcome }, 0);
    const sample = new CachedReading(() => orders.countOpen());
    const help = 'Orders that hold an animal: placed or approved; absent while they cannot be counted';
    registry.addGauge('adoption_open_orders', help, async () => [[await sample.get()]]);
  }

  /** Counts the events of orders among those that were appended. */
  count(events: readonly RecordedEvent[]): void {
    for (const { type } of events) if (EVENT_TYPES.has(type)) this.outcomes.inc({ outcome: type.slice('order-'.length) });
  }
}
