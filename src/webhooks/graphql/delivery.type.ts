import { Field, ID, Int, ObjectType } from '@nestjs/graphql';
import { connectionOf, DateTimeScalar } from '#libs/graphql';
import type { Delivery } from '../records/delivery.store.js';

@ObjectType('Delivery', { description: 'An attempt to send an event to a webhook endpoint.' })
export class DeliveryType {
  @Field(() => ID, { description: 'Identifier, assigned in the order in which attempts were recorded.' })
  readonly id!: string;

  @Field(() => ID, { description: 'The id of the event; of a test one that is not in the log.' })
  readonly eventId!: string;

  @Field(() => String, { description: 'The type of the event, or `webhook.test`.' })
  readonly type!: string;

  @Field(() => Int, { description: 'Which attempt to send the event it was, from 1.' })
  readonly attempt!: number;

  @Field(() => Int, { nullable: true, description: 'The status of the answer, null where there was none.' })
  readonly status!: number | null;

  @Field(() => String, { nullable: true, description: 'Why it failed, null where it was delivered.' })
  readonly error!: string | null;

  @Field(() => Int, { description: 'How long it took.' })
  readonly durationMilliseconds!: number;

  @Field(() => DateTimeScalar, { description: 'When it was made.' })
  readonly attemptedAt!: Date;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When the event is sent once more, null where it is not.' })
  readonly nextAttemptAt!: Date | null;
}

export function toDeliveryType({ id, status, error, nextAttemptAt, ...delivery }: Delivery): DeliveryType {
  return { ...delivery, id: id.toString(), status: status ?? null, error: error ?? null, nextAttemptAt: nextAttemptAt ?? null };
}

@ObjectType({ description: 'A page of attempts, the newest first.' })
export class DeliveryConnection extends connectionOf(DeliveryType, 'Delivery') {}
