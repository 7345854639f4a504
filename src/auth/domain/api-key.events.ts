import type { DomainEvent, EventDefinitions, RecordedEvent } from '#libs/event-store';
import type { Deployment } from './deployment.js';
import { PLANS, type PlanTerms } from './plan.js';

export type ApiKeyIssued = DomainEvent<
  'api-key-issued',
  PlanTerms & {
    readonly name: string;
    readonly scopes: readonly string[];
    readonly deployment: Deployment;
    readonly hash: string;
    /** ISO time from which the key is refused; null: never. */
    readonly expiresAt: string | null;
  }
>;

export type ApiKeyPlanChanged = DomainEvent<'api-key-plan-changed', PlanTerms>;

export type ApiKeyRotated = DomainEvent<
  'api-key-rotated',
  {
    readonly hash: string;
    /** ISO time from which the secret before this one is refused; null: at once. Any older secret ends at once. */
    readonly previousValidUntil: string | null;
  }
>;

export type ApiKeyRevoked = DomainEvent<'api-key-revoked', Readonly<Record<string, never>>>;

export type ApiKeyBanned = DomainEvent<
  'api-key-banned',
  {
    /** ISO time at which the ban ends. */
    readonly until: string;
    /** Its place on the ladder of ever longer bans, from 1. */
    readonly step: number;
  }
>;

/** Ends a ban that may still run, and the memory of those before it. */
export type ApiKeyUnbanned = DomainEvent<'api-key-unbanned', Readonly<Record<string, never>>>;

export type ApiKeyEvent = ApiKeyIssued | ApiKeyPlanChanged | ApiKeyRotated | ApiKeyRevoked | ApiKeyBanned | ApiKeyUnbanned;

/** An event of an API key as it stands in the log; `type` tells which `data` it has. */
export type RecordedApiKeyEvent = ApiKeyEvent extends infer Event ? (Event extends ApiKeyEvent ? RecordedEvent<Event> : never) : never;

/** The types are stored in the log for ever: a type is never renamed, a changed `data` gets a new schema version and an upcaster. */
export const apiKeyEvents = {
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
      expiresAt: 'time | null',
    },
    secrets: ['hash'],
  },
  'api-key-plan-changed': { schemaVersion: 1, data: { plan: PLANS, 'perMinute?': 'number', 'perDay?': 'number' } },
  'api-key-rotated': { schemaVersion: 1, data: { hash: 'text', previousValidUntil: 'time | null' }, secrets: ['hash'] },
  'api-key-revoked': { schemaVersion: 1, data: {} },
  'api-key-banned': { schemaVersion: 1, data: { until: 'time', step: 'number' } },
  'api-key-unbanned': { schemaVersion: 1, data: {} },
} as const satisfies Readonly<Record<ApiKeyEvent['type'], EventDefinitions[string]>>;
