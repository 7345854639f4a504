import type { DomainEvent, EventDefinition, RecordedEvent } from '#libs/event-store';
import type { Deployment } from './deployment.js';
import type { PlanTerms } from './plan.js';
import type { Scope } from './scope.js';

export type ApiKeyIssued = DomainEvent<
  'api-key-issued',
  PlanTerms & {
    readonly name: string;
    readonly scopes: readonly Scope[];
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

export const apiKeyEventDefinitions: readonly EventDefinition[] = [
  { type: 'api-key-issued', schemaVersion: 1, secrets: ['hash'] },
  { type: 'api-key-plan-changed', schemaVersion: 1 },
  { type: 'api-key-rotated', schemaVersion: 1, secrets: ['hash'] },
  { type: 'api-key-revoked', schemaVersion: 1 },
  { type: 'api-key-banned', schemaVersion: 1 },
  { type: 'api-key-unbanned', schemaVersion: 1 },
];
