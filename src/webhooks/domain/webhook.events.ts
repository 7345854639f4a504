import type { EventDefinitions, EventsOf } from '#libs/event-sourcing';
import { DISABLED_REASONS } from './webhook.js';

/** Types are stored in the log for ever: never rename one; a changed `data` needs a new schema version and an upcaster. */
export const webhookEvents = {
  // `registeredBy` is the number of the API key. Without `types` all event types are sent.
  'webhook-registered': {
    schemaVersion: 1,
    data: { registeredBy: 'int64', url: 'text', 'types?': 'text[]', 'description?': 'text' },
    // Many receivers authenticate their senders by a part of the address.
    secrets: ['url'],
    published: false,
  },
  // All values of the endpoint from then on.
  'webhook-changed': {
    schemaVersion: 1,
    data: { url: 'text', 'types?': 'text[]', 'description?': 'text' },
    secrets: ['url'],
    published: false,
  },
  'webhook-enabled': { schemaVersion: 1, data: {}, published: false },
  'webhook-disabled': { schemaVersion: 1, data: { reason: DISABLED_REASONS }, published: false },
  // `previousValidUntil` is when the previous secret expires, older ones keep their time; if it is null, all expire at once.
  'webhook-secret-rotated': { schemaVersion: 1, data: { previousValidUntil: 'time | null' }, published: false },
  'webhook-deleted': { schemaVersion: 1, data: {}, published: false },
} as const satisfies EventDefinitions;

export type WebhookEvent = EventsOf<typeof webhookEvents>;
