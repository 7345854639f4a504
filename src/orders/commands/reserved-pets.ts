import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ConcurrencyError, Aggregate, EventStore, type Participant, type RecordedEvent, type StreamAppend } from '#libs/event-sourcing';
import { Clock } from '#libs/observability';
import { PetReservations, type PetChange } from '../../pets/index.js';
import { orderDecider, toOrderSnapshot } from '../domain/order.decider.js';
import { OPEN_STATUSES, orderStream } from '../domain/order.js';
import { OrderMetrics } from '../orders.metrics.js';

/** Ends the order that reserves an animal when the animal is withdrawn, or when the order is overdue and something else is to be done with it. */
@Injectable()
export class ReservedPets implements Participant<PetChange>, OnModuleInit {
  constructor(
    private readonly store: EventStore,
    private readonly reservations: PetReservations,
    private readonly clock: Clock,
    private readonly metrics: OrderMetrics,
  ) {}

  onModuleInit(): void {
    this.reservations.participants.register(this);
  }

  /** @throws ConcurrencyError if the order has ended since its animal was read */
  async before({ pet, ...change }: PetChange): Promise<StreamAppend[]> {
    const { reservedBy: id } = pet;
    // A status counts also if it is the present one, which the end of an expired reservation would change.
    if (id === undefined || (change.kind === 'change' && change.status === undefined)) return [];
    const order = await Aggregate.read(this.store, orderDecider, orderStream(id));
    const { status, version } = toOrderSnapshot(id, order);
    if (!OPEN_STATUSES.includes(status)) throw new ConcurrencyError(orderStream(id), 'open', version);
    const now = this.clock.now();
    const expiry = order.decide({ kind: 'expire', id, now });
    if (expiry.length > 0) return [...expiry, ...pet.endReservation('release', id)];
    return change.kind === 'withdraw' ? order.decide({ kind: 'cancel', id, reason: change.reason, now }) : [];
  }

  appended(events: readonly RecordedEvent[]): void {
    this.metrics.count(events);
  }
}
