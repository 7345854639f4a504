import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ConcurrencyError, Aggregate, EventStore, type RecordedEvent, type StreamAppend } from '#libs/event-sourcing';
import { PetReservations, type OpenOrders } from '../../pets/index.js';
import { orderDecider, type OrderCommand, toOrderSnapshot } from '../domain/order.decider.js';
import { OPEN_STATUSES, orderStream } from '../domain/order.js';
import { OrderMetrics } from '../orders.metrics.js';

/** Ends orders when their animals are withdrawn or reserved again. */
@Injectable()
export class OpenOrdersAdapter implements OpenOrders, OnModuleInit {
  constructor(
    private readonly store: EventStore,
    private readonly reservations: PetReservations,
    private readonly metrics: OrderMetrics,
  ) {}

  onModuleInit(): void {
    this.reservations.setOrderGateway(this);
  }

  expiry(id: bigint, now: Date): Promise<StreamAppend[]> {
    return this.decide(id, { kind: 'expire', id, now });
  }

  cancellation(id: bigint, reason: string, now: Date): Promise<StreamAppend[]> {
    return this.decide(id, { kind: 'cancel', id, reason, now });
  }

  recorded(events: readonly RecordedEvent[]): void {
    this.metrics.count(events);
  }

  /** @throws ConcurrencyError if the order has ended since its animal was read */
  private async decide(id: bigint, command: OrderCommand): Promise<StreamAppend[]> {
    const order = await Aggregate.read(this.store, orderDecider, orderStream(id));
    const { status, version } = toOrderSnapshot(id, order);
    if (!OPEN_STATUSES.includes(status)) throw new ConcurrencyError(orderStream(id), 'open', version);
    return order.decide(command);
  }
}
