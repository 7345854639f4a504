import type { EventDefinitions, EventsOf } from '#libs/event-store';
import { DISABLED_REASONS } from './webhook.js';

/** The types are stored in the log for ever: a type is never renamed, a changed `data` gets a new schema version and an upcaster. */
export const webhookEvents = {
  // `registeredBy` is the number of the API key. Without `types` it is for all of them.
  'webhook-registered': {
    schemaVersion: 1,
    data: { registeredBy: 'int64', url: 'text', 'types?': 'text[]', 'description?': 'text' },
    // Many receivers know their senders by a part of the address.
    secrets: ['url'],
    published: false,
  },
  // All values that it has from then on.
  'webhook-changed': {
    schemaVersion: 1,
    data: { url: 'text', 'types?': 'text[]', 'description?': 'text' },
    secrets: ['url'],
    published: false,
  },
  'webhook-enabled': { schemaVersion: 1, data: {}, published: false },
  'webhook-disabled': { schemaVersion: 1, data: { reason: DISABLED_REASONS }, published: false },
  // Until `previousValidUntil` the secret before this one signs too, and older ones as long as they were to; where it is null all end at once.
  'webhook-secret-rotated': { schemaVersion: 1, data: { previousValidUntil: 'time | null' }, published: false },
  'webhook-deleted': { schemaVersion: 1, data: {}, published: false },
} as const satisfies EventDefinitions;

export type WebhookEvent = EventsOf<typeof webhookEvents>;
