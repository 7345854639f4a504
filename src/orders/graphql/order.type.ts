import { ArgsType, Field, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { ConnectionArguments, connectionType, DateTimeScalar } from '#libs/graphql';
import { ORDER_QUANTITY, type OrderSnapshot, type OrderStatus } from '../domain/order.js';

const OrderStatusType = {
  PLACED: 'placed',
  APPROVED: 'approved',
  DELIVERED: 'delivered',
  CANCELLED: 'cancelled',
  EXPIRED: 'expired',
} as const satisfies Record<string, OrderStatus>;

registerEnumType(OrderStatusType, {
  name: 'OrderStatus',
  description: 'Where an order is.',
  valuesMap: {
    PLACED: { description: 'It reserves its animal until it expires.' },
    APPROVED: { description: 'The store keeps the animal for it; it no longer expires.' },
    DELIVERED: { description: 'The animal was handed over. Final.' },
    CANCELLED: { description: 'It was given up, or its animal was withdrawn. Final.' },
    EXPIRED: { description: 'Nobody approved it in time. Final.' },
  },
});

@ObjectType('Order', { description: 'An order for an animal, as it is or as it was at the moment asked for.' })
export class OrderType {
  @Field(() => ID, { description: 'Identifier, assigned in the order in which orders were placed.' })
  readonly id!: string;

  @Field(() => Int, { description: 'Always 1, since an animal is one of its kind.' })
  readonly quantity!: number;

  @Field(() => OrderStatusType, { description: 'Where it is.' })
  readonly status!: OrderStatus;

  @Field(() => String, { nullable: true, description: 'What the store should know, null where nothing was said.' })
  readonly note!: string | null;

  @Field(() => DateTimeScalar, { description: 'When it was placed.' })
  readonly placedAt!: Date;

  @Field(() => DateTimeScalar, { description: 'From when it no longer holds its animal, unless it was approved.' })
  readonly expiresAt!: Date;

  @Field(() => Int, { description: 'How many events it has.' })
  readonly version!: number;

  @Field(() => ID, { description: 'The API key that placed it.' })
  readonly placedBy!: string;

  readonly petId!: bigint;

  /** Moment up to which its history and animal are read. */
  readonly asOf?: Date;
}

export function toOrderType({ id, petId, status, note, placedAt, expiresAt, placedBy, version }: OrderSnapshot, asOf?: Date): OrderType {
  return {
    id: id.toString(),
    quantity: ORDER_QUANTITY,
    status,
    note: note ?? null,
    placedAt,
    expiresAt,
    version,
    placedBy: placedBy.toString(),
    petId,
    ...(asOf && { asOf }),
  };
}

@ObjectType({ description: 'A page of orders, ascending by id.' })
export class OrderConnection extends connectionType(OrderType, 'Order') {}

@ArgsType()
export class OrdersArguments extends ConnectionArguments {
  @Field(() => OrderStatusType, { nullable: true, description: 'Only orders that are there.' })
  readonly status?: OrderStatus | null;

  @Field(() => ID, { nullable: true, description: 'Only orders for this animal.' })
  readonly petId?: string | null;

  @Field(() => ID, { nullable: true, description: 'Only orders that this API key placed.' })
  readonly placedBy?: string | null;
}

@ObjectType('Inventory', { description: 'How many animals have each status.' })
export class InventoryType {
  @Field(() => Int, { description: 'Animals that can be ordered.' })
  readonly available!: number;

  @Field(() => Int, { description: 'Animals that are reserved, or pending by hand.' })
  readonly pending!: number;

  @Field(() => Int, { description: 'Animals that were adopted.' })
  readonly sold!: number;

  @Field(() => Int, { description: 'Animals without a status.' })
  readonly unset!: number;
}
