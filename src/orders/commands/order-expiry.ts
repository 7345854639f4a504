import { Injectable, type OnModuleInit } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type EventMetadata, TimeoutCatalog, type TimeoutSource } from '#libs/event-sourcing';
import { OrderReader } from '../read-model/order.reader.js';
import { TransitionOrder } from './transition-order.command.js';

const METADATA: EventMetadata = { actor: 'system' };

/** Expires overdue orders. */
@Injectable()
export class OrderExpiry implements TimeoutSource, OnModuleInit {
  readonly name = 'order-expiry';

  constructor(
    private readonly timeouts: TimeoutCatalog,
    private readonly orders: OrderReader,
    private readonly commands: CommandBus,
  ) {}

  onModuleInit(): void {
    this.timeouts.register(this);
  }

  due(now: Date, limit: number): Promise<readonly bigint[]> {
    return this.orders.overdue(now, limit);
  }

  oldestDue(): Promise<Date | undefined> {
    return this.orders.earliestExpiry();
  }

  async fire(id: bigint): Promise<void> {
    await this.commands.execute(new TransitionOrder('expire', { id }, { metadata: METADATA }));
  }
}
