import { type DescribedBody, definePage, defineSchema, timeSchema, schemaOf } from '#libs/http';
import { ChangeWebhook, DEFAULT_GRACE, IsGrace } from '../commands/change-webhook.command.js';
import { RegisterWebhook } from '../commands/register-webhook.command.js';
import { DISABLED_REASONS, type SilentReason } from '../domain/webhook.js';

/** The query parameters of a rotation. */
export class RotateSecretRequest {
  @IsGrace()
  readonly grace: string = DEFAULT_GRACE;
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
  type: ChangeWebhook,
  without: ['id'],
  mediaTypes: ['application/merge-patch+json', 'application/json'],
  schema: 'WebhookChanges',
  description: 'What is to become of a webhook endpoint; what is left out stays as it is.',
  noun: 'a change of a webhook endpoint',
  examples: { off: { value: { enabled: false } }, allTypes: { value: { types: null, description: null } } },
};

const { url, types, description, enabled } = schemaOf(RegisterWebhook).properties;

const properties = {
  id: { type: 'integer', format: 'int64', minimum: 1, description: 'Assigned by the service when it is added; never used again.' },
  url: { ...url, description: 'Where events are sent to.' },
  types: { ...types, description: 'The names of the event types that are sent; one for all of them names all that there are now.' },
  description: { ...description, description: 'What it is for; left out where nothing was said.' },
  enabled: { ...enabled, description: 'Whether events are sent.' },
  disabledReason: {
    type: 'string',
    enum: [...DISABLED_REASONS],
    description:
      'Why events are not sent: its receiver said that it is gone, it failed for too long, or its owner turned it off; left out where it is enabled.',
  },
  silentReason: {
    type: 'string',
    enum: ['key'] satisfies SilentReason[],
    description:
      'Why nothing is sent though it is enabled: its API key lacks the scope `events`. Left out where events are sent, and where it is disabled.',
  },
  createdAt: { ...timeSchema, description: 'When it was added, in UTC.' },
};
const required = ['id', 'url', 'types', 'enabled', 'createdAt'];

export const webhookSchema = defineSchema('Webhook', {
  type: 'object',
  description: 'An address to which events are sent.',
  required,
  additionalProperties: false,
  properties,
});

export const webhooksSchema = definePage('Webhooks', webhookSchema, 'A page of webhook endpoints, ascending by id.');

const secret = {
  type: 'string',
  maxLength: 50,
  pattern: '^whsec_[A-Za-z0-9+/]{43}=$',
  description: 'With what messages are signed: `whsec_` and the key in base64. Shown this once.',
};

export const webhookWithSecretSchema = defineSchema('WebhookWithSecret', {
  type: 'object',
  description: 'A webhook endpoint with its new secret.',
  required: [...required, 'secret'],
  additionalProperties: false,
  properties: { ...properties, secret },
});

export const addedWebhookSchema = defineSchema('AddedWebhook', {
  type: 'object',
  description: 'A webhook endpoint that was added, with its secret unless this repeats an earlier answer.',
  required,
  additionalProperties: false,
  properties: { ...properties, secret },
});
