import type { EventDefinitions, EventsOf, RecordedEvent } from '#libs/event-sourcing';
import { LIMIT_NAMES, PLANS, type LimitName } from './plans.js';

/** The limits of a key of the plan enterprise. */
const limits = Object.fromEntries(LIMIT_NAMES.map((name) => [`${name}?`, 'number'])) as {
  readonly [Name in LimitName as `${Name}?`]: 'number';
};

/** The types are stored in the log for ever: a type is never renamed, a changed `data` gets a new schema version and an upcaster. */
export const apiKeyEvents = {
  // `keyStart`: the first characters of the token after its prefix.
  'api-key-issued': {
    schemaVersion: 1,
    data: {
      name: 'text',
      'owner?': 'text',
      plan: PLANS,
      ...limits,
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
    data: { plan: PLANS, ...limits },
    published: false,
  },
  // All of them as they are from then on, also those that stay.
  'api-key-details-changed': { schemaVersion: 1, data: { name: 'text', 'owner?': 'text', expiresAt: 'time | null' }, published: false },
  // All scopes that the key has from then on.
  'api-key-scopes-changed': { schemaVersion: 1, data: { scopes: 'text[]' }, published: false },
  // The previous secret is refused from `previousValidUntil` on, or at once if that is null. Older secrets end at once.
  'api-key-rotated': {
    schemaVersion: 1,
    data: { hash: 'text', 'keyStart?': 'text', previousValidUntil: 'time | null' },
    secrets: ['hash'],
    published: false,
  },
  'api-key-revoked': { schemaVersion: 1, data: {}, published: false },
  // `step`: which ban of the ladder of ever longer bans it is, from 1; 0 where a ban with a `reason` comes before the first of them.
  'api-key-banned': { schemaVersion: 1, data: { until: 'time', step: 'number', 'reason?': 'text' }, published: false },
  // Ends the ban in force, if any, and restarts the ladder. `unbans` is greater than in any earlier event of the key.
  'api-key-unbanned': { schemaVersion: 1, data: { 'unbans?': 'number' }, published: false },
} as const satisfies EventDefinitions;

export type ApiKeyEvent = EventsOf<typeof apiKeyEvents>;
export type ApiKeyIssued = EventsOf<typeof apiKeyEvents, 'api-key-issued'>;
export type RecordedApiKeyEvent = RecordedEvent<ApiKeyEvent>;
