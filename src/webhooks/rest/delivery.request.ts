import { definePage, defineSchema, timeSchema, eventTypeSchema, Describes, INT64_MAX, parseInt64 } from '#libs/http';
import { ValidateBy } from 'class-validator';

const POSITION = 'after must be a position in plain decimal digits from 0 to 9223372036854775807';

/** The query parameters of a replay. */
export class ReplayRequest {
  @IsPosition()
  @Describes('Only events behind this position, the `id` of an event; 0 for all.', '0')
  readonly after!: string;
}

export const deliveryExample = {
  id: 512,
  eventId: '42',
  type: 'pet.added',
  attempt: 2,
  status: 503,
  error: 'answered 503',
  durationMilliseconds: 87,
  attemptedAt: '2026-01-01T00:00:05.400Z',
  nextAttemptAt: '2026-01-01T00:05:31.000Z',
};

const id = { type: 'integer', format: 'int64', minimum: 1 };
const whole = { type: 'integer', format: 'int32', maximum: 2 ** 31 - 1 };

const deliverySchema = defineSchema('Delivery', {
  type: 'object',
  description: 'An attempt to send an event to a webhook endpoint.',
  required: ['id', 'eventId', 'type', 'attempt', 'durationMilliseconds', 'attemptedAt'],
  additionalProperties: false,
  properties: {
    id: { ...id, description: 'Assigned by the service; never used again.' },
    eventId: {
      type: 'string',
      pattern: '^(?:test-)?[1-9][0-9]{0,18}$',
      maxLength: 24,
      description: 'The `id` of the event; of a test one that is not in the log.',
    },
    type: { ...eventTypeSchema, description: 'The type of the event, or `webhook.test`.' },
    attempt: { ...whole, minimum: 1, description: 'Which attempt to send the event it was.' },
    status: {
      type: 'integer',
      format: 'int32',
      minimum: 100,
      maximum: 999,
      description: 'The status of the answer; left out where there was none.',
    },
    error: { type: 'string', maxLength: 4_096, description: 'Why it failed; left out where it was delivered.' },
    durationMilliseconds: { ...whole, minimum: 0, description: 'How long it took.' },
    attemptedAt: { ...timeSchema, description: 'When it was made, in UTC.' },
    nextAttemptAt: { ...timeSchema, description: 'When the event is sent once more; left out where it is not.' },
  },
});

export const deliveriesSchema = definePage('Deliveries', deliverySchema, 'A page of attempts, the newest first.');

export const acceptedDeliverySchema = defineSchema('AcceptedDelivery', {
  type: 'object',
  description: 'An attempt that is to be made.',
  required: ['id'],
  additionalProperties: false,
  properties: { id: { ...id, description: 'The id that it will have among the deliveries.' } },
});

export const acceptedReplaySchema = defineSchema('AcceptedReplay', {
  type: 'object',
  description: 'What is to be sent once more.',
  required: ['events'],
  additionalProperties: false,
  properties: { events: { type: 'integer', format: 'int64', minimum: 0, maximum: Number(INT64_MAX), description: 'How many events.' } },
});

function IsPosition(): PropertyDecorator {
  return ValidateBy(
    {
      name: 'isPosition',
      validator: {
        validate: (value: unknown) => typeof value === 'string' && (parseInt64(value) ?? -1n) >= 0n,
        defaultMessage: () => POSITION,
      },
    },
    { context: { schema: { type: 'string', pattern: '^(?:0|[1-9][0-9]{0,18})$', maxLength: 19 } } },
  );
}
