import type { EventDefinitions, EventsOf, RecordedEvent } from '#libs/event-store';
import { PLANS } from './plan.js';

/** The types are stored in the log for ever: a type is never renamed, a changed `data` gets a new schema version and an upcaster. */
export const apiKeyEvents = {
  // `keyStart` is what `keyStartOf` gives of the token; keys from before there was one have none.
  'api-key-issued': {
    schemaVersion: 1,
    data: {
      name: 'text',
      plan: PLANS,
      'perMinute?': 'number',
      'perDay?': 'number',
      scopes: 'text[]',
      deployment: 'text',
      hash: 'text',
      'keyStart?': 'text',
      expiresAt: 'time | null',
    },
    secrets: ['hash'],
    published: false,
  },
  'api-key-plan-changed': {
    schemaVersion: 1,
    data: { plan: PLANS, 'perMinute?': 'number', 'perDay?': 'number' },
    published: false,
  },
  // All scopes that it has from then on.
  'api-key-scopes-changed': { schemaVersion: 1, data: { scopes: 'text[]' }, published: false },
  // From `previousValidUntil` on the secret before this one is refused, at once where it is null; any older secret ends at once.
  'api-key-rotated': {
    schemaVersion: 1,
    data: { hash: 'text', 'keyStart?': 'text', previousValidUntil: 'time | null' },
    secrets: ['hash'],
    published: false,
  },
  'api-key-revoked': { schemaVersion: 1, data: {}, published: false },
  // `step` is its place on the ladder of ever longer bans, from 1.
  'api-key-banned': { schemaVersion: 1, data: { until: 'time', step: 'number' }, published: false },
  // Ends a ban that may still run, and the memory of those before it. `unbans` is greater than that of any before it.
  'api-key-unbanned': { schemaVersion: 1, data: { 'unbans?': 'number' }, published: false },
} as const satisfies EventDefinitions;

export type ApiKeyEvent = EventsOf<typeof apiKeyEvents>;
export type ApiKeyIssued = EventsOf<typeof apiKeyEvents, 'api-key-issued'>;
export type ApiKeyBanned = EventsOf<typeof apiKeyEvents, 'api-key-banned'>;
export type ApiKeyUnbanned = EventsOf<typeof apiKeyEvents, 'api-key-unbanned'>;
export type RecordedApiKeyEvent = RecordedEvent<ApiKeyEvent>;
