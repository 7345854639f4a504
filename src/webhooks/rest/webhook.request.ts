import {
  createRule,
  defineObject,
  definePage,
  ApiDescription,
  eventTypeSchema,
  INT64_MAX,
  parseInt64,
  getInputSchema,
  timeSchema,
  type DescribedBody,
} from '#libs/http';
import { WebhookUpdate } from '../commands/change-webhook.command.js';
import { RegisterWebhook } from '../commands/register-webhook.command.js';
import { DISABLED_REASONS, type SilentReason } from '../domain/webhook.js';

/** The query parameters of a replay. */
export class ReplayRequest {
  @createRule({
    name: 'isPosition',
    schema: { type: 'string', pattern: '^(?:0|[1-9][0-9]{0,18})$', maxLength: 19 },
    isValid: (value) => typeof value === 'string' && (parseInt64(value) ?? -1n) >= 0n,
    expected: 'must be a position in plain decimal digits from 0 to 9223372036854775807',
  })
  @ApiDescription('Only events behind this position, the `id` of an event; 0 for all.', '0')
  readonly after!: string;
}

const URL_EXAMPLE = 'https://example.org/adoption-events';

export const webhookExample = {
  id: 3,
  url: URL_EXAMPLE,
  types: ['order.placed', 'order.cancelled'],
  description: 'Orders for the calendar',
  enabled: true,
  createdAt: '2026-01-01T00:00:00.000Z',
};

export const secretExample = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD1nLQkCyjmH8=';

/** The body of a request that adds an endpoint. */
export const newWebhookBody: DescribedBody = {
  type: RegisterWebhook,
  schema: 'NewWebhook',
  description: 'A webhook endpoint to be added.',
  noun: 'a new webhook endpoint',
  examples: {
    allTypes: { value: { url: URL_EXAMPLE } },
    someTypes: { value: { url: URL_EXAMPLE, types: webhookExample.types, description: webhookExample.description, enabled: true } },
  },
};

/** The body of a request that changes an endpoint (RFC 7396). */
export const webhookChangesBody: DescribedBody = {
  type: WebhookUpdate,
  mediaTypes: ['application/merge-patch+json', 'application/json'],
  schema: 'WebhookChanges',
  description: 'A change of a webhook endpoint; omitted members keep their values.',
  noun: 'a change of a webhook endpoint',
  examples: { off: { value: { enabled: false } }, allTypes: { value: { types: null, description: null } } },
};

const ID = { type: 'integer', format: 'int64', minimum: 1 };
const { url, types, description, enabled } = getInputSchema(RegisterWebhook).properties;

const properties = {
  id: { ...ID, description: 'Assigned by the service when it is added; never used again.' },
  url: { ...url, description: 'Where events are sent to.' },
  types: { ...types, description: 'The names of the event types that are sent; one for all of them names all that there are now.' },
  description: { ...description, description: 'Its purpose; absent if none was given.' },
  enabled: { ...enabled, description: 'Whether events are sent.' },
  disabledReason: {
    type: 'string',
    enum: [...DISABLED_REASONS],
    description:
      'Why events are not sent: its receiver said that it is gone, it failed for too long, or its owner turned it off. Absent if it is enabled.',
  },
  silentReason: {
    type: 'string',
    enum: ['key'] satisfies SilentReason[],
    description:
      'Why nothing is sent although it is enabled: its API key lacks the scope `events`. Absent if events are sent or it is disabled.',
  },
  createdAt: { ...timeSchema, description: 'When it was added, in UTC.' },
};
const required = ['id', 'url', 'types', 'enabled', 'createdAt'];

const secret = {
  type: 'string',
  maxLength: 50,
  pattern: '^whsec_[A-Za-z0-9+/]{43}=$',
  description: 'With what messages are signed: `whsec_` and the key in base64. Shown this once.',
};

export const webhookSchema = defineObject('Webhook', 'An address to which events are sent.', required, properties);

export const webhooksSchema = definePage('Webhooks', webhookSchema, 'A page of webhook endpoints, ascending by id.');

export const webhookWithSecretSchema = defineObject(
  'WebhookWithSecret',
  'A webhook endpoint with its new secret.',
  [...required, 'secret'],
  { ...properties, secret },
);

export const addedWebhookSchema = defineObject(
  'AddedWebhook',
  'A webhook endpoint that was added, with its secret unless this repeats an earlier answer.',
  required,
  { ...properties, secret },
);

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

const whole = { type: 'integer', format: 'int32', maximum: 2 ** 31 - 1 };

const deliverySchema = defineObject(
  'Delivery',
  'An attempt to send an event to a webhook endpoint.',
  ['id', 'eventId', 'type', 'attempt', 'durationMilliseconds', 'attemptedAt'],
  {
    id: { ...ID, description: 'Assigned by the service; never used again.' },
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
      description: 'The status of the response; absent without a response.',
    },
    error: { type: 'string', maxLength: 4_096, description: 'Why it failed; absent if it was delivered.' },
    durationMilliseconds: { ...whole, minimum: 0, description: 'How long it took.' },
    attemptedAt: { ...timeSchema, description: 'When it was made, in UTC.' },
    nextAttemptAt: { ...timeSchema, description: 'When the event is sent again; absent if it is not.' },
  },
);

export const deliveriesSchema = definePage('Deliveries', deliverySchema, 'A page of attempts, the newest first.');

export const acceptedDeliverySchema = defineObject('AcceptedDelivery', 'An attempt that is to be made.', ['id'], {
  id: { ...ID, description: 'The id that it will have among the deliveries.' },
});

export const acceptedReplaySchema = defineObject('AcceptedReplay', 'The number of events to be sent again.', ['events'], {
  events: { type: 'integer', format: 'int64', minimum: 0, maximum: Number(INT64_MAX), description: 'How many events.' },
});
