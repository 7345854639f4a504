import { ApplicationError } from '#libs/observability';
import type { Decider } from '#libs/event-sourcing';
import { getLimits, planTerms, type PlanChoice, type PlanTerms, type RecordedBan } from './api-key.js';
import type { ApiKeyBanned, ApiKeyEvent, ApiKeyUnbanned } from './api-key.events.js';
import type { Deployment } from './api-key-token.js';

const MAX_GRACE_MILLISECONDS = 365 * 24 * 60 * 60 * 1_000;

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

type ChangePlan = PlanChoice & { readonly type: 'change-plan'; readonly id: bigint };

export interface ChangeScopes {
  readonly type: 'add-scope' | 'remove-scope';
  readonly id: bigint;
  readonly scope: string;
  /** All scopes that exist. */
  readonly known: readonly string[];
}

interface RotateKey {
  readonly type: 'rotate';
  readonly id: bigint;
  readonly hash: string;
  readonly keyStart: string;
  /** Milliseconds for which the previous secret still works. */
  readonly grace: number;
  readonly now: Date;
}

interface BanKey {
  readonly type: 'ban';
  readonly id: bigint;
  readonly until: Date;
  readonly step: number;
  /** `unbans` of the recorded ban when this ban was imposed. */
  readonly unbans: number;
}

type RevokeKey = { readonly type: 'revoke'; readonly id: bigint };
type UnbanKey = { readonly type: 'unban'; readonly id: bigint; readonly now: Date };

/** A change of an API key that exists. */
export type ChangeKey = ChangePlan | ChangeScopes | RotateKey | RevokeKey | BanKey | UnbanKey;

/** A change that keeps the secret, without what is known only when it is made: the time, and the scopes that exist. */
export type ApiKeyChange = ChangePlan | Omit<ChangeScopes, 'known'> | RevokeKey | Omit<UnbanKey, 'now'>;

interface IssuedKeyState {
  readonly status: 'issued';
  readonly terms: PlanTerms;
  readonly scopes: readonly string[];
  readonly expiresAt: string | null;
  readonly ban: RecordedBan;
}

export type ApiKeyState = { readonly status: 'none' } | IssuedKeyState | { readonly status: 'revoked' };

/** The rules of an API key. */
export const apiKeyDecider: Decider<ApiKeyState, IssueKey | ChangeKey, ApiKeyEvent> = {
  stateFormat: 'api-key 1',
  initialState: { status: 'none' },

  decide(command, state) {
    if (command.type === 'issue') return [issue(command)];
    if (state.status === 'none') throw new ApiKeyNotFoundError(command.id);
    if (command.type === 'revoke') return state.status === 'revoked' ? [] : [{ type: 'api-key-revoked', data: {} }];
    // The limiter may ban a key that was revoked a moment ago.
    if (state.status === 'revoked' && command.type === 'ban') return [];
    if (state.status === 'revoked') throw invalid(`API key ${command.id} is revoked and cannot be changed; create a new key.`);
    return change(command, state);
  },

  evolve(state, event) {
    switch (event.type) {
      case 'api-key-issued': {
        const { scopes, expiresAt } = event.data;
        return { status: 'issued', terms: planTerms(event.data), scopes, expiresAt, ban: { until: 0, step: 0, unbans: 0 } };
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

function change(command: Exclude<ChangeKey, RevokeKey>, { terms, scopes, expiresAt, ban: recorded }: IssuedKeyState): ApiKeyEvent[] {
  switch (command.type) {
    case 'rotate':
      return [rotate(command, expiresAt)];
    case 'change-plan':
      return changePlan(command, terms);
    case 'add-scope':
    case 'remove-scope':
      return changeScopes(command, scopes);
    case 'ban':
      return ban(command, recorded);
    case 'unban':
      // Recorded in any case: the limiter may know of a ban that the log does not have.
      return [{ type: 'api-key-unbanned', data: { unbans: Math.max(recorded.unbans + 1, command.now.getTime()) } }];
  }
}

function issue({ name, scopes, deployment, hash, keyStart, expiresAt, now, ...choice }: IssueKey): ApiKeyEvent {
  if (expiresAt && expiresAt <= now) throw invalid('expiresAt must be in the future.');
  const data = { name, scopes, deployment, hash, keyStart, expiresAt: expiresAt?.toISOString() ?? null };
  return { type: 'api-key-issued', data: { ...planTerms(choice), ...data } };
}

function changePlan(choice: ChangePlan, before: PlanTerms): ApiKeyEvent[] {
  const terms = planTerms(choice);
  const [limits, limitsBefore] = [getLimits(terms), getLimits(before)];
  const isSame = terms.plan === before.plan && limits.perMinute === limitsBefore.perMinute && limits.perDay === limitsBefore.perDay;
  return isSame ? [] : [{ type: 'api-key-plan-changed', data: terms }];
}

function changeScopes({ type, id, scope, known }: ChangeScopes, before: readonly string[]): ApiKeyEvent[] {
  const has = before.includes(scope);
  // A scope that no longer exists can still be taken from a key.
  if (!has && !known.includes(scope)) throw invalid(`scope must be one of ${known.join(', ')}.`);
  if (has === (type === 'add-scope')) return [];
  const scopes = has ? before.filter((each) => each !== scope) : [...before, scope];
  if (scopes.length === 0) throw invalid(`API key ${id} has no scope but ${scope}; add another one first, or revoke the key.`);
  return [{ type: 'api-key-scopes-changed', data: { scopes } }];
}

function rotate({ id, hash, keyStart, grace, now }: RotateKey, expiresAt: string | null): ApiKeyEvent {
  if (!Number.isInteger(grace) || grace < 0 || grace > MAX_GRACE_MILLISECONDS) {
    throw invalid('grace must be a whole number of milliseconds, at most 365 days');
  }
  if (expiresAt !== null && new Date(expiresAt) <= now) {
    throw invalid(`API key ${id} expired at ${expiresAt} and cannot be rotated; create a new key.`);
  }
  const previousValidUntil = grace > 0 ? new Date(now.getTime() + grace).toISOString() : null;
  return { type: 'api-key-rotated', data: { hash, keyStart, previousValidUntil } };
}

/** Records a ban, unless a ban was lifted after it was imposed or one that lasts as long is recorded already. */
function ban({ until, step, unbans }: BanKey, recorded: RecordedBan): ApiKeyEvent[] {
  if (unbans < recorded.unbans || until.getTime() <= recorded.until) return [];
  return [{ type: 'api-key-banned', data: { until: until.toISOString(), step } }];
}

function banAfter({ unbans }: RecordedBan, event: ApiKeyBanned | ApiKeyUnbanned): RecordedBan {
  if (event.type === 'api-key-unbanned') return { until: 0, step: 0, unbans: unbansAfter(unbans, event.data) };
  return { until: Date.parse(event.data.until), step: event.data.step, unbans };
}

/** Returns how often bans were lifted after one more was. Events of older builds have no number of their own. */
export function unbansAfter(before: number, { unbans }: ApiKeyUnbanned['data']): number {
  return unbans ?? before + 1;
}

export class ApiKeyNotFoundError extends ApplicationError {
  override readonly name = 'ApiKeyNotFoundError';

  constructor(id: bigint) {
    super('not_found', `There is no API key ${id}.`);
  }
}

function invalid(message: string): ApplicationError {
  return new ApplicationError('invalid_request', message);
}
