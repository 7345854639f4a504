import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Precondition, assertValid, ApiDescription, IfGiven, IsInt64, IsText } from '#libs/http';
import { Clock } from '#libs/observability';
import {
  Aggregate,
  EventStore,
  retryConflicts,
  TimeoutSchedule,
  type EventMetadata,
  type StreamAppend,
  type TimeoutSource,
} from '#libs/event-sourcing';
import { PetReservations } from '../../pets/index.js';
import { orderDecider, toOrderSnapshot } from '../domain/order.decider.js';
import { OrderNotFoundError } from '../domain/order.errors.js';
import { toOrder, orderStream, type OrderSnapshot } from '../domain/order.js';
import { OrderReader } from '../read-model/order.reader.js';

/** `expire` changes only an overdue order and never fails. */
export type OrderTransition = 'approve' | 'deliver' | 'cancel' | 'expire';

interface OrderTransitionOptions {
  readonly metadata: EventMetadata;
  /** The key that must have placed the order, otherwise it is not found. Default: any. */
  readonly ownedBy?: bigint | undefined;
  /** Checked against the order before the change. */
  readonly precondition?: Precondition | undefined;
}

interface TransitionedOrder {
  readonly order: OrderSnapshot;
  /** False if it already had the status and no event was written. */
  readonly changed: boolean;
}

/** Approves, delivers, cancels or expires an order and updates its animal. */
export class TransitionOrder extends Command<TransitionedOrder> {
  @IsInt64()
  readonly id: bigint;

  @IfGiven()
  @IsText(1000)
  @ApiDescription('Why it is cancelled. 1 to 1,000 Unicode characters by the rules of a name.')
  readonly reason: string | undefined;

  constructor(
    readonly transition: OrderTransition,
    values: { readonly id: unknown; readonly reason?: unknown },
    readonly options: OrderTransitionOptions,
  ) {
    super();
    // The types hold after validation, which the handler does first.
    this.id = values.id as bigint;
    this.reason = values.reason as string | undefined;
  }
}

@CommandHandler(TransitionOrder)
export class TransitionOrderHandler implements ICommandHandler<TransitionOrder> {
  constructor(
    private readonly store: EventStore,
    private readonly reservations: PetReservations,
    private readonly clock: Clock,
  ) {}

  /** @throws OrderNotFoundError, OrderTransitionError */
  async execute(command: TransitionOrder): Promise<TransitionedOrder> {
    assertValid(command);
    return retryConflicts(() => this.attempt(command));
  }

  private async attempt({
    transition,
    id,
    reason,
    options: { metadata, ownedBy, precondition },
  }: TransitionOrder): Promise<TransitionedOrder> {
    const order = await Aggregate.read(this.store, orderDecider, orderStream(id));
    const before = toOrderSnapshot(id, order);
    if (ownedBy !== undefined && before.placedBy !== ownedBy) throw new OrderNotFoundError(id);
    precondition?.(toOrder(before));
    const decided = order.decide({ kind: transition, id, reason, now: this.clock.now() });
    if (decided.length === 0) return { order: before, changed: false };
    await this.reservations.append([...decided, ...(await this.decidePet(transition, before.petId, id))], { metadata });
    return { order: toOrderSnapshot(id, order), changed: true };
  }

  /** Returns the append to the animal's stream. */
  private async decidePet(transition: OrderTransition, petId: bigint, id: bigint): Promise<StreamAppend[]> {
    if (transition === 'approve') return [];
    const pet = await this.reservations.load(petId);
    return transition === 'deliver' ? pet.handOver(id) : pet.release(id);
  }
}

/** Expires overdue orders. */
@Injectable()
export class OrderExpiry implements TimeoutSource, OnModuleInit {
  readonly name = 'order-expiry';

  constructor(
    private readonly timeouts: TimeoutSchedule,
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
    await this.commands.execute(new TransitionOrder('expire', { id }, { metadata: { actor: 'system' } }));
  }
}
