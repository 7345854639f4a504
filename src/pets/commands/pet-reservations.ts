import { Clock } from '#libs/observability';
import {
  Aggregate,
  EventStore,
  type NewEvent,
  type StreamAppend,
  type AppendOptions,
  type AppendResult,
  type RecordedEvent,
} from '#libs/event-sourcing';
import { Injectable } from '@nestjs/common';
import { petDecider, type PetCommand, type PetState } from '../domain/pet.decider.js';
import { PetNotFoundError } from '../domain/pet.errors.js';
import type { PetEvent } from '../domain/pet.events.js';
import { petStream, type Pet } from '../domain/pet.js';

/** An animal as read, with the decisions since. */
export class PetAggregate {
  constructor(
    private readonly id: bigint,
    private readonly stream: Aggregate<PetState, PetCommand, PetEvent>,
  ) {}

  /** The animal; a withdrawn one as last known. @throws PetNotFoundError if it was never added */
  get pet(): Pet {
    const { state } = this.stream;
    if (state.kind === 'none') throw new PetNotFoundError(this.id);
    return { id: this.id, ...state.details };
  }

  /** The order that reserves it, even if that is overdue. */
  get reservedBy(): bigint | undefined {
    const { state } = this.stream;
    return state.kind === 'present' ? state.reservedBy : undefined;
  }

  /** @throws PetNotFoundError if it was never added or was withdrawn */
  requirePresent(): void {
    if (this.stream.state.kind !== 'present') throw new PetNotFoundError(this.id);
  }

  /** Returns the append that follows; none if nothing changes. @throws as the decider does */
  decide(command: PetCommand): StreamAppend[] {
    return this.stream.decide(command);
  }

  /** Returns an append by which a command that depends on the animal is decided again if the animal has changed since. */
  expectUnchanged(): StreamAppend {
    return this.stream.expectUnchanged();
  }

  /** Reserves it for the order that is the first new stream of the same append. @throws PetNotFoundError, PetNotAvailableError */
  reserve(): StreamAppend[] {
    return this.decide({ kind: 'reserve', id: this.id }).map(({ events, ...append }) => ({
      ...append,
      events: events.map(withFirstNewOrder),
    }));
  }

  /** Makes it available again, or sold by `hand-over`, unless it is withdrawn. @throws PetNotReservedError if it is not this order's */
  endReservation(kind: 'release' | 'hand-over', orderId: bigint): StreamAppend[] {
    return this.decide({ kind, id: this.id, orderId });
  }
}

/** Adds the id of the order that is the first new stream of the append. */
function withFirstNewOrder({ type, data }: NewEvent): NewEvent {
  return { type, data: ([orderId]: readonly bigint[]) => Object.assign({}, data, { orderId: String(orderId) }) };
}

/** Ends orders that reserve animals. `expiry` and `cancellation` throw ConcurrencyError if the order has ended since the animal was read. */
export interface OpenOrders {
  /** Returns the append that expires an overdue order; none if the order is not overdue. */
  expiry(orderId: bigint, now: Date): Promise<StreamAppend[]>;
  /** Returns the append that cancels an open order because its animal is withdrawn. */
  cancellation(orderId: bigint, reason: string, now: Date): Promise<StreamAppend[]>;
  /** Called with the events of each append. */
  recorded(events: readonly RecordedEvent[]): void;
}

export interface EndedOrder {
  readonly appends: readonly StreamAppend[];
  /** The cancelled order. */
  readonly cancelled?: bigint;
}

/** Changes animals together with the orders that reserve them, in one append, which fails if either stream has changed since it was read. */
@Injectable()
export class PetReservations {
  private orders: OpenOrders | undefined;

  constructor(
    private readonly store: EventStore,
    private readonly clock: Clock,
  ) {}

  /** Call it while the module starts. */
  setOrderGateway(orders: OpenOrders): void {
    this.orders = orders;
  }

  /** Reads an animal from the log; it need not exist. */
  async load(id: bigint): Promise<PetAggregate> {
    return new PetAggregate(id, await Aggregate.read(this.store, petDecider, petStream(id)));
  }

  /** Ends the reservation of an animal if its order is overdue. */
  async lapse(pet: PetAggregate, now = this.clock.now()): Promise<StreamAppend[]> {
    const { reservedBy } = pet;
    if (reservedBy === undefined || !this.orders) return [];
    const expiry = await this.orders.expiry(reservedBy, now);
    return expiry.length === 0 ? [] : [...expiry, ...pet.endReservation('release', reservedBy)];
  }

  /** Ends the order of an animal that is withdrawn: an overdue one expires, another one is cancelled. */
  async end(pet: PetAggregate, reason: string): Promise<EndedOrder> {
    const now = this.clock.now();
    const lapsed = await this.lapse(pet, now);
    const { reservedBy } = pet;
    if (reservedBy === undefined || !this.orders) return { appends: lapsed };
    return { appends: await this.orders.cancellation(reservedBy, reason, now), cancelled: reservedBy };
  }

  /** Appends events of orders and their animals. @throws as `EventStore.append` */
  async append(appends: readonly StreamAppend[], options: AppendOptions): Promise<AppendResult> {
    return this.report(await this.store.append(appends, options));
  }

  /** Decides about orders and their animals and appends. @throws as `EventStore.execute` */
  async execute(decide: () => Promise<readonly StreamAppend[]>, options: AppendOptions): Promise<AppendResult> {
    return this.report(await this.store.execute(decide, options));
  }

  private report(result: AppendResult): AppendResult {
    if (!result.replayed) this.orders?.recorded(result.events);
    return result;
  }
}
