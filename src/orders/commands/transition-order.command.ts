import { Injectable, type OnModuleInit } from '@nestjs/common';
import { CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ApiDescription, assertValid, IfGiven, InputCommand, IsInt64, IsText, type Precondition, type Unchecked } from '#libs/http';
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
import { orderTransitions, type OrderTransition } from '../domain/order.transitions.js';
import { OrderReader } from '../read-model/order.reader.js';

interface ChangedOrder {
  readonly id: bigint;
  readonly reason?: string;
}

interface TransitionConditions {
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

/** Makes one of the transitions of an order, with what follows for its animal. */
export class TransitionOrder extends InputCommand<ChangedOrder, TransitionedOrder> {
  @IsInt64()
  readonly id!: bigint;

  @IfGiven()
  @IsText(1000)
  @ApiDescription('Why it is cancelled. 1 to 1,000 Unicode characters by the rules of a name.')
  readonly reason?: string;

  constructor(
    readonly transition: OrderTransition,
    values: Unchecked<ChangedOrder>,
    metadata: EventMetadata,
    readonly conditions: TransitionConditions = {},
  ) {
    super(values, metadata);
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

  private async attempt({ transition, id, reason, metadata, conditions }: TransitionOrder): Promise<TransitionedOrder> {
    const order = await Aggregate.read(this.store, orderDecider, orderStream(id));
    const before = toOrderSnapshot(id, order);
    if (conditions.ownedBy !== undefined && before.placedBy !== conditions.ownedBy) throw new OrderNotFoundError(id);
    conditions.precondition?.(toOrder(before));
    const decided = order.decide({ kind: transition, id, reason, now: this.clock.now() });
    if (decided.length === 0) return { order: before, changed: false };
    await this.reservations.append([...decided, ...(await this.decidePet(transition, before))], { metadata });
    return { order: toOrderSnapshot(id, order), changed: true };
  }

  /** Returns the append to the animal's stream. */
  private async decidePet(transition: OrderTransition, { id, petId }: OrderSnapshot): Promise<StreamAppend[]> {
    const { animal } = orderTransitions[transition];
    return animal === 'hold' ? [] : (await this.reservations.load(petId)).endReservation(animal, id);
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
    await this.commands.execute(new TransitionOrder('expire', { id }, { actor: 'system' }));
  }
}
