import { Injectable } from '@nestjs/common';
import { Counter, Gauge } from 'prom-client';
import type { RecordedEvent } from '#libs/event-sourcing';
import { CachedReading, MetricsRegistry } from '#libs/observability';
import { orderEvents } from './domain/order.events.js';
import { ORDER_STATUSES } from './domain/order.js';
import { OrderReader } from './read-model/order.reader.js';

const SAMPLE = { maxAge: 1_000, maxWaitMilliseconds: 1_000 };
const EVENT_TYPES = new Set<string>(Object.keys(orderEvents));

/** The metrics of the orders. */
@Injectable()
export class OrderMetrics {
  private readonly outcomes: Counter;

  constructor(registry: MetricsRegistry, orders: OrderReader) {
    const registers = [registry];
    this.outcomes = new Counter({
      name: 'adoption_orders_total',
      help: 'Orders that this instance placed, approved, delivered, cancelled or expired',
      labelNames: ['outcome'],
      registers,
    });
    for (const outcome of ORDER_STATUSES) this.outcomes.inc({ outcome }, 0);
    const sample = new CachedReading(() => orders.countOpen(), SAMPLE);
    const open = new Gauge({
      name: 'adoption_open_orders',
      help: 'Orders that hold an animal: placed or approved; absent while they cannot be counted',
      registers,
      async collect() {
        open.remove();
        const count = await sample.get();
        if (count !== undefined) open.set(count);
      },
    });
  }

  /** Counts the events of orders among those that were appended. */
  count(events: readonly RecordedEvent[]): void {
    for (const { type } of events) if (EVENT_TYPES.has(type)) this.outcomes.inc({ outcome: type.slice('order-'.length) });
  }
}
