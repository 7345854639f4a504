import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { computeFingerprint, assertValid, ApiDescription, IfGiven, IsInt64, IsText, IsWholeNumber } from '#libs/http';
import { Clock } from '#libs/observability';
import {
  parseStreamNumber,
  type AppendResult,
  type EventMetadata,
  type RecordedEvent,
  type RequestIdempotency,
  type StreamAppend,
} from '#libs/event-sourcing';
import { PetReservations } from '../../pets/index.js';
import { orderDecider, foldOrder } from '../domain/order.decider.js';
import type { OrderPlaced } from '../domain/order.events.js';
import { ORDER_CATEGORY, ORDER_QUANTITY, type OrderSnapshot } from '../domain/order.js';

/** Injection token: milliseconds for which an unapproved order reserves its animal. */
export const RESERVATION = Symbol('RESERVATION');

/** Unchecked values of a new order; the command validates them. */
export interface NewOrderValues {
  readonly petId?: unknown;
  readonly quantity?: unknown;
  readonly note?: unknown;
}

interface PlacedOrder {
  readonly order: OrderSnapshot;
  /** True if an earlier request with the idempotency key placed this order. */
  readonly replayed: boolean;
}

/** Reserves an animal for an API key until the reservation expires. */
export class PlaceOrder extends Command<PlacedOrder> {
  @IsInt64()
  @ApiDescription('The animal that is ordered.')
  readonly petId: bigint;

  @IfGiven()
  @IsWholeNumber(ORDER_QUANTITY, ORDER_QUANTITY, 'must be 1 or be omitted, since an animal is one of its kind')
  @ApiDescription('Always 1, since an animal is one of its kind.')
  readonly quantity: number | undefined;

  @IfGiven()
  @IsText(1000)
  @ApiDescription('What the store should know, kept exactly as sent. 1 to 1,000 Unicode characters by the rules of a name.')
  readonly note: string | undefined;

  constructor(
    values: NewOrderValues,
    /** The number of the API key. */
    readonly placedBy: bigint,
    readonly metadata: EventMetadata,
    readonly idempotency?: RequestIdempotency,
  ) {
    super();
    // The types hold after validation, which the handler does first.
    this.petId = values.petId as bigint;
    this.quantity = values.quantity as number | undefined;
    this.note = values.note as string | undefined;
  }
}

@CommandHandler(PlaceOrder)
export class PlaceOrderHandler implements ICommandHandler<PlaceOrder> {
  constructor(
    private readonly reservations: PetReservations,
    private readonly clock: Clock,
    @Inject(RESERVATION) private readonly reservation: number,
  ) {}

  /** @throws PetNotFoundError, PetNotAvailableError */
  async execute(command: PlaceOrder): Promise<PlacedOrder> {
    assertValid(command);
    const { petId, note } = command;
    const idempotency = command.idempotency && { ...command.idempotency, fingerprint: computeFingerprint([petId, note]) };
    return placedOrder(await this.reservations.execute(() => this.decide(command), { metadata: command.metadata, idempotency }));
  }

  private async decide({ petId, placedBy, note }: PlaceOrder): Promise<StreamAppend[]> {
    const pet = await this.reservations.load(petId);
    const lapsed = await this.reservations.lapse(pet);
    const reserved = pet.reserve();
    const events = orderDecider.decide(
      { kind: 'place', petId, placedBy, note, now: this.clock.now(), reservation: this.reservation },
      orderDecider.initialState,
    );
    const placed = { stream: { newIn: ORDER_CATEGORY }, expectedVersion: 'noStream', events } as const;
    return [...lapsed, placed, ...reserved];
  }
}

/** Finds the placed order among the events of an append. */
function placedOrder({ events, replayed }: AppendResult): PlacedOrder {
  const [placed] = events.flatMap((event) => (event.type === 'order-placed' ? [event as RecordedEvent<OrderPlaced>] : []));
  const order = placed && foldOrder(parseStreamNumber(placed.stream), [placed]);
  if (!order) throw new Error('The event store gave back no order-placed event.');
  return { order, replayed };
}
