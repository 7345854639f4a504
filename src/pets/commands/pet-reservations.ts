import { Clock } from '#libs/clock';
import {
  Aggregate,
  EventStore,
  type NewEvent,
  type StreamAppend,
  type AppendOptions,
  type AppendResult,
  type RecordedEvent,
} from '#libs/event-store';
import { Injectable } from '@nestjs/common';
import { petDecider, type PetCommand, type PetState } from '../domain/pet.decider.js';
import { PetNotFoundError } from '../domain/pet.errors.js';
import type { PetEvent } from '../domain/pet.events.js';
import { petStream, type Pet } from '../domain/pet.js';

/** An animal as its stream was read, with what was decided since. */
export class PetAggregate {
  private constructor(
    private readonly id: bigint,
    private readonly stream: Aggregate<PetState, PetCommand, PetEvent>,
  ) {}

  static async from(store: EventStore, id: bigint): Promise<PetAggregate> {
    return new PetAggregate(id, await Aggregate.read(store, petDecider, petStream(id)));
  }

  /**
   * The animal; once it was withdrawn, as it was last known.
   * @throws PetNotFoundError for one that was never added
   */
  get pet(): Pet {
    const { state } = this.stream;
    if (state.kind === 'none') throw new PetNotFoundError(this.id);
    return { id: this.id, ...state.details };
  }

  /** The order for which it is reserved, also one whose time has passed. */
  get reservedBy(): bigint | undefined {
    const { state } = this.stream;
    return state.kind === 'present' ? state.reservedBy : undefined;
  }

  /** @throws PetNotFoundError for one that was never added or was withdrawn */
  requirePresent(): void {
    if (this.stream.state.kind !== 'present') throw new PetNotFoundError(this.id);
  }

  /** What follows from the command; nothing where it changes nothing. @throws as the decider does */
  decide(command: PetCommand): StreamAppend[] {
    return this.stream.decide(command);
  }

  /**
   * Reserves it for the order that is the first new stream of the same append.
   * @throws PetNotFoundError
   * @throws PetNotAvailableError
   */
  reserve(): StreamAppend[] {
    return this.decide({ kind: 'reserve', id: this.id }).map(({ events, ...append }) => ({
      ...append,
      events: events.map(withFirstNewOrder),
    }));
  }

  /** Makes it available again, unless it is not reserved for this order. */
  release(orderId: bigint): StreamAppend[] {
    return this.decide({ kind: 'release', id: this.id, orderId });
  }

  /** Makes it sold, unless it is not reserved for this order. */
  handOver(orderId: bigint): StreamAppend[] {
    return this.decide({ kind: 'hand-over', id: this.id, orderId });
  }
}

/** The same event, with the id of the order that is the first new stream of its append. */
function withFirstNewOrder({ type, data }: NewEvent): NewEvent {
  return { type, data: ([orderId]: readonly bigint[]) => Object.assign({}, data, { orderId: String(orderId) }) };
}

/**
 * What whoever takes orders says of the one for which an animal is reserved. Both ends throw ConcurrencyError where the order has ended
 * since the animal was read, which is then to be read again.
 */
export interface OpenOrders {
  /** The end of an order whose time has passed; nothing for one that holds its animal. */
  expiry(orderId: bigint, now: Date): Promise<StreamAppend[]>;
  /** The end of an order that holds its animal, since that is withdrawn. */
  cancellation(orderId: bigint, reason: string, now: Date): Promise<StreamAppend[]>;
  /** Told of what was appended, once for each append. */
  recorded(events: readonly RecordedEvent[]): void;
}

/** What became of the order of an animal that is withdrawn. */
export interface EndedOrder {
  readonly appends: readonly StreamAppend[];
  /** The order, where it was cancelled. */
  readonly cancelled?: bigint;
}

/**
 * Where orders and the animals they reserve meet. What is decided about both goes into one append, which fails where either stream has
 * moved on since it was read.
 */
@Injectable()
export class PetReservations {
  private orders: OpenOrders | undefined;

  constructor(
    private readonly store: EventStore,
    private readonly clock: Clock,
  ) {}

  /** To be called by whoever takes orders, before anything is decided. */
  setOrderGateway(orders: OpenOrders): void {
    this.orders = orders;
  }

  /** The animal as the log has it now, also one that is not there. */
  load(id: bigint): Promise<PetAggregate> {
    return PetAggregate.from(this.store, id);
  }

  /** Ends the reservation of an animal whose order has run out of time; nothing where there is none, or it holds. */
  lapse(pet: PetAggregate): Promise<StreamAppend[]> {
    return this.lapseAt(pet, this.clock.now());
  }

  /** Ends the order of an animal that is to be withdrawn, as expired where it has run out of time. */
  async end(pet: PetAggregate, reason: string): Promise<EndedOrder> {
    const now = this.clock.now();
    const lapsed = await this.lapseAt(pet, now);
    const { reservedBy } = pet;
    if (reservedBy === undefined || !this.orders) return { appends: lapsed };
    return { appends: await this.orders.cancellation(reservedBy, reason, now), cancelled: reservedBy };
  }

  /**
   * Appends what was decided about orders and their animals.
   * @throws as `EventStore.append` does
   */
  async append(appends: readonly StreamAppend[], options: AppendOptions): Promise<AppendResult> {
    const result = await this.store.append(appends, options);
    if (!result.replayed) this.orders?.recorded(result.events);
    return result;
  }

  private async lapseAt(pet: PetAggregate, now: Date): Promise<StreamAppend[]> {
    const { reservedBy } = pet;
    if (reservedBy === undefined || !this.orders) return [];
    const expiry = await this.orders.expiry(reservedBy, now);
    return expiry.length === 0 ? [] : [...expiry, ...pet.release(reservedBy)];
  }
}
