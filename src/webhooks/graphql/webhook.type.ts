import { Field, ID, Int, ObjectType } from '@nestjs/graphql';
import { connectionType, DateTimeScalar, enumType, NodeType } from '#libs/graphql';
import { webhookStream, type DisabledReason, type SilentReason, type WebhookView } from '../domain/webhook.js';
import type { Delivery } from '../records/delivery.store.js';

const WebhookDisabledReasonType = enumType<DisabledReason>('WebhookDisabledReason', 'Why events are not sent to a webhook endpoint.', {
  gone: 'Its receiver said that it is gone.',
  failing: 'It failed for too long.',
  owner: 'Its owner turned it off.',
});

export const WebhookSilentReasonType = enumType<SilentReason>(
  'WebhookSilentReason',
  'Why nothing is sent to a webhook endpoint that is enabled.',
  {
    key: 'Its API key lacks the scope `webhooks` or `events`, has expired or is revoked.',
  },
);

@ObjectType('Webhook', { implements: () => [NodeType], description: 'An address to which events are sent; never its secret.' })
export class WebhookType implements NodeType {
  readonly nodeId!: string;

  @Field(() => ID, { description: 'Identifier, assigned in the order in which endpoints were added.' })
  readonly id!: string;

  @Field(() => String, { description: 'Where events are sent to.' })
  readonly url!: string;

  @Field(() => [String], { description: 'The names of the event types that are sent.' })
  readonly types!: readonly string[];

  @Field(() => String, { nullable: true, description: 'Its purpose; null if none was given.' })
  readonly description?: string;

  @Field(() => Boolean, { description: 'Whether events are sent.' })
  readonly enabled!: boolean;

  @Field(() => WebhookDisabledReasonType, { nullable: true, description: 'Why events are not sent; null if they are.' })
  readonly disabledReason?: DisabledReason;

  @Field(() => DateTimeScalar, { description: 'When it was added.' })
  readonly createdAt!: Date;

  @Field(() => ID, { description: 'The API key that it belongs to.' })
  readonly registeredBy!: string;
}

export function toWebhookType({ id, registeredBy, ...webhook }: WebhookView): WebhookType {
  return { ...webhook, id: id.toString(), nodeId: webhookStream(id), registeredBy: registeredBy.toString() };
}

@ObjectType({ description: 'A page of webhook endpoints, ascending by id.' })
export class WebhookConnection extends connectionType(WebhookType, 'Webhook') {}

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

  @Field(() => Int, { nullable: true, description: 'The status of the response; null without a response.' })
  readonly status?: number;

  @Field(() => String, { nullable: true, description: 'Why it failed; null if it was delivered.' })
  readonly error?: string;

  @Field(() => Int, { description: 'How long it took.' })
  readonly durationMilliseconds!: number;

  @Field(() => DateTimeScalar, { description: 'When it was made.' })
  readonly attemptedAt!: Date;

  @Field(() => DateTimeScalar, { nullable: true, description: 'When the event is sent again; null if it is not.' })
  readonly nextAttemptAt?: Date;
}

export function toDeliveryType({ id, ...delivery }: Delivery): DeliveryType {
  return { ...delivery, id: id.toString() };
}

@ObjectType({ description: 'A page of attempts, the newest first.' })
export class DeliveryConnection extends connectionType(DeliveryType, 'Delivery') {}
