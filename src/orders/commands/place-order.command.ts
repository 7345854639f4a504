import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ApiDescription, assertValid, IfGiven, InputCommand, IsInt64, IsText, IsWholeNumber, type Unchecked } from '#libs/http';
import { Clock } from '#libs/observability';
import { foldNewStream, type EventMetadata, type RequestIdempotency, type StreamAppend } from '#libs/event-sourcing';
import { PetReservations } from '../../pets/index.js';
import { orderDecider, toOrderSnapshot } from '../domain/order.decider.js';
import { ORDER_CATEGORY, ORDER_QUANTITY, type OrderSnapshot } from '../domain/order.js';

/** Injection token: milliseconds for which an unapproved order reserves its animal. */
export const RESERVATION = Symbol('RESERVATION');

interface NewOrder {
  readonly petId: bigint;
  readonly quantity?: number;
  readonly note?: string;
}

/** Unchecked values of a new order; the command validates them. */
export type NewOrderValues = Unchecked<NewOrder>;

interface PlacedOrder {
  readonly order: OrderSnapshot;
  /** True if an earlier request with the idempotency key placed this order. */
  readonly replayed: boolean;
}

/** Reserves an animal for an API key until the reservation expires. */
export class PlaceOrder extends InputCommand<NewOrder, PlacedOrder> {
  @IsInt64()
  @ApiDescription('The animal that is ordered.')
  readonly petId!: bigint;

  @IfGiven()
  @IsWholeNumber(ORDER_QUANTITY, ORDER_QUANTITY, 'quantity must be 1 or be omitted, since an animal is one of its kind')
  @ApiDescription('Always 1, since an animal is one of its kind.')
  readonly quantity?: number;

  @IfGiven()
  @IsText(1000)
  @ApiDescription('What the store should know, kept exactly as sent. 1 to 1,000 Unicode characters by the rules of a name.')
  readonly note?: string;

  constructor(
    values: NewOrderValues,
    /** The number of the API key. */
    readonly placedBy: bigint,
    metadata: EventMetadata,
    idempotency?: RequestIdempotency,
  ) {
    // A request with the only quantity there is repeats one without, also by the fingerprint of its idempotency key.
    super({ ...values, quantity: values.quantity === ORDER_QUANTITY ? undefined : values.quantity }, metadata, idempotency);
  }

  protected override fixedInputs(): readonly string[] {
    return ['petId', 'note'];
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
    const { events, replayed } = await this.reservations.execute(() => this.decide(command), command.appendOptions);
    const { id, state } = foldNewStream(
      orderDecider,
      events.filter(({ type }) => type === 'order-placed'),
    );
    return { order: toOrderSnapshot(id, { state, version: 1 }), replayed };
  }

  private async decide({ petId, placedBy, note }: PlaceOrder): Promise<StreamAppend[]> {
    const pet = await this.reservations.load(petId);
    const others = await this.reservations.participants.before({ kind: 'reserve', pet });
    const reserved = pet.reserve();
    const { reservation } = this;
    const events = orderDecider.decide({ kind: 'place', petId, placedBy, note, now: this.clock.now(), reservation }, undefined);
    const placed = { stream: { newIn: ORDER_CATEGORY }, events };
    return [...others, placed, ...reserved];
  }
}
