import type { Decider } from '#libs/event-store';
import { ban, banAfter, NEVER_BANNED, unban, type BanKey, type RecordedBan } from './api-key-ban.js';
import {
  ApiKeyExpiredError,
  ApiKeyNotFoundError,
  ApiKeyRevokedError,
  ExpiryNotInFutureError,
  LastScopeError,
  UnknownScopeError,
} from './api-key.errors.js';
import type { ApiKeyEvent } from './api-key.events.js';
import type { Deployment } from './deployment.js';
import { limitsOf, planTerms, type PlanChoice, type PlanTerms } from './plan.js';

export interface IssueKey extends PlanChoice {
  readonly type: 'issue';
  readonly name: string;
  readonly scopes: readonly string[];
  readonly deployment: Deployment;
  readonly hash: string;
  readonly keyStart: string;
  readonly expiresAt: Date | null;
  readonly now: Date;
}

export interface ChangePlan extends PlanChoice {
  readonly type: 'change-plan';
  readonly id: bigint;
}

export interface ChangeScopes {
  readonly type: 'add-scope' | 'remove-scope';
  readonly id: bigint;
  readonly scope: string;
  /** The scopes that there are. */
  readonly known: readonly string[];
}

export interface RotateKey {
  readonly type: 'rotate';
  readonly id: bigint;
  readonly hash: string;
  readonly keyStart: string;
  /** Milliseconds for which the old secret still works. */
  readonly grace: number;
  readonly now: Date;
}

export interface RevokeKey {
  readonly type: 'revoke';
  readonly id: bigint;
}

export interface UnbanKey {
  readonly type: 'unban';
  readonly id: bigint;
  readonly now: Date;
}

export type ApiKeyDecision = IssueKey | ChangePlan | ChangeScopes | RotateKey | RevokeKey | BanKey | UnbanKey;

interface IssuedKeyState {
  readonly status: 'issued';
  readonly terms: PlanTerms;
  readonly scopes: readonly string[];
  readonly expiresAt: string | null;
  readonly ban: RecordedBan;
}

export type ApiKeyState = { readonly status: 'none' } | IssuedKeyState | { readonly status: 'revoked' };

/** The rules of an API key. */
export const apiKeyDecider: Decider<ApiKeyState, ApiKeyDecision, ApiKeyEvent> = {
  form: 'api-key 1',
  initialState: { status: 'none' },

  decide(decision, state) {
    if (decision.type === 'issue') return [issue(decision)];
    if (state.status === 'none') throw new ApiKeyNotFoundError(decision.id);
    if (decision.type === 'revoke') return state.status === 'revoked' ? [] : [{ type: 'api-key-revoked', data: {} }];
    // Whoever counts requests may ban a key that was revoked a moment ago.
    if (state.status === 'revoked' && decision.type === 'ban') return [];
    if (state.status === 'revoked') throw new ApiKeyRevokedError(decision.id);
    return change(decision, state);
  },

  evolve(state, event) {
    switch (event.type) {
      case 'api-key-issued': {
        const { scopes, expiresAt } = event.data;
        return { status: 'issued', terms: planTerms(event.data), scopes, expiresAt, ban: NEVER_BANNED };
      }
      case 'api-key-plan-changed':
        return state.status === 'issued' ? { ...state, terms: planTerms(event.data) } : state;
      case 'api-key-scopes-changed':
        return state.status === 'issued' ? { ...state, scopes: event.data.scopes } : state;
      case 'api-key-banned':
      case 'api-key-unbanned':
        return state.status === 'issued' ? { ...state, ban: banAfter(state.ban, event) } : state;
      case 'api-key-revoked':
        return { status: 'revoked' };
      default:
        return state;
    }
  },
};

function change(decision: ChangePlan | ChangeScopes | RotateKey | BanKey | UnbanKey, state: IssuedKeyState): ApiKeyEvent[] {
  switch (decision.type) {
    case 'rotate':
      return [rotate(decision, state.expiresAt)];
    case 'change-plan':
      return changePlan(decision, state.terms);
    case 'add-scope':
    case 'remove-scope':
      return changeScopes(decision, state.scopes);
    case 'ban':
      return ban(decision, state.ban);
    case 'unban':
      return [unban(state.ban, decision.now)];
  }
}

function issue({ name, scopes, deployment, hash, keyStart, expiresAt, now, ...choice }: IssueKey): ApiKeyEvent {
  if (expiresAt && expiresAt <= now) throw new ExpiryNotInFutureError();
  const data = { name, scopes, deployment, hash, keyStart, expiresAt: expiresAt?.toISOString() ?? null };
  return { type: 'api-key-issued', data: { ...planTerms(choice), ...data } };
}

function changePlan(choice: ChangePlan, before: PlanTerms): ApiKeyEvent[] {
  const terms = planTerms(choice);
  return areSameTerms(terms, before) ? [] : [{ type: 'api-key-plan-changed', data: terms }];
}

function areSameTerms(one: PlanTerms, other: PlanTerms): boolean {
  const [limits, otherLimits] = [limitsOf(one), limitsOf(other)];
  return one.plan === other.plan && limits.perMinute === otherLimits.perMinute && limits.perDay === otherLimits.perDay;
}

function changeScopes({ type, id, scope, known }: ChangeScopes, before: readonly string[]): ApiKeyEvent[] {
  const has = before.includes(scope);
  // A key may lose one that has ceased to exist.
  if (!has && !known.includes(scope)) throw new UnknownScopeError(known);
  if (has === (type === 'add-scope')) return [];
  const scopes = has ? before.filter((each) => each !== scope) : [...before, scope];
  if (scopes.length === 0) throw new LastScopeError(id, scope);
  return [{ type: 'api-key-scopes-changed', data: { scopes } }];
}

function rotate({ id, hash, keyStart, grace, now }: RotateKey, expiresAt: string | null): ApiKeyEvent {
  if (expiresAt !== null && new Date(expiresAt) <= now) throw new ApiKeyExpiredError(id, expiresAt);
  const previousValidUntil = grace > 0 ? new Date(now.getTime() + grace).toISOString() : null;
  return { type: 'api-key-rotated', data: { hash, keyStart, previousValidUntil } };
}
