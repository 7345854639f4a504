import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { Precondition } from '#libs/api-kit';
import { Clock } from '#libs/clock';
import { Aggregate, EventStore, retryConflicts, type EventMetadata, type StreamAppend } from '#libs/event-store';
import { assertValid, Describes, IfGiven, IsInt64, IsText } from '#libs/validation';
import { PetReservations } from '../../pets/index.js';
import { orderDecider, toOrderSnapshot } from '../domain/order.decider.js';
import { OrderNotFoundError } from '../domain/order.errors.js';
import { toOrder, orderStream, type OrderSnapshot } from '../domain/order.js';

/** Where an order can be brought; `expire` does nothing to one whose time has not passed, and is refused to none. */
export type OrderTransition = 'approve' | 'deliver' | 'cancel' | 'expire';

/** Who brings an order there, and what may stop it. */
interface OrderTransitionOptions {
  readonly metadata: EventMetadata;
  /** The key that must have placed the order, which else does not exist for the caller; anybody's when left out. */
  readonly ownedBy?: bigint | undefined;
  /** Held against the order as it is before. */
  readonly precondition?: Precondition | undefined;
}

/** What became of an order. */
interface TransitionedOrder {
  readonly order: OrderSnapshot;
  /** False when it was there already and no event was written. */
  readonly changed: boolean;
}

/** Approves, delivers, cancels or expires an order, and does to its animal what follows. One that is there already stays as it is. */
export class TransitionOrder extends Command<TransitionedOrder> {
  @IsInt64()
  readonly id: bigint;

  @IfGiven()
  @IsText(1000)
  @Describes('Why it is cancelled. 1 to 1,000 Unicode characters by the rules of a name.')
  readonly reason: string | undefined;

  constructor(
    readonly transition: OrderTransition,
    values: { readonly id: unknown; readonly reason?: unknown },
    readonly options: OrderTransitionOptions,
  ) {
    super();
    // The types hold once the rules have been checked, which the handler does first.
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

  /**
   * @throws OrderNotFoundError
   * @throws OrderTransitionError
   */
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

  /** What the animal's stream tells of it. */
  private async decidePet(transition: OrderTransition, petId: bigint, id: bigint): Promise<StreamAppend[]> {
    if (transition === 'approve') return [];
    const pet = await this.reservations.load(petId);
    return transition === 'deliver' ? pet.handOver(id) : pet.release(id);
  }
}
