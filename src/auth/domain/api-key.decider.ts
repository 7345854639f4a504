import { ApplicationError, invalidMember } from '#libs/observability';
import type { Decider } from '#libs/event-sourcing';
import { assertMayGrant, assertNotOwnTerms, type ActingKey } from './acting-key.js';
import { ApiKeyNotFoundError, authErrors } from './api-key.errors.js';
import type { ApiKeyEvent } from './api-key.events.js';
import type { Deployment } from './api-key-token.js';
import { byLimit, choosePlan, LIMIT_NAMES, pickLimits, readPlan, type Plan, type PlanChoice } from './plans.js';

const MAX_GRACE_MILLISECONDS = 365 * 24 * 60 * 60 * 1_000;

/** An API key after any of its events. */
export interface ApiKeyDetails extends PlanChoice {
  readonly name: string;
  readonly owner?: string | undefined;
  readonly scopes: readonly string[];
  readonly keyStart?: string | undefined;
  readonly expiresAt?: Date | undefined;
  readonly previousValidUntil?: Date | undefined;
  readonly bannedUntil?: Date | undefined;
  readonly banStep?: number | undefined;
  readonly banReason?: string | undefined;
  readonly unbans: number;
}

type IssuedKey = ApiKeyDetails & { readonly status: 'issued' | 'revoked' };

export type ApiKeyState = { readonly status: 'none' } | IssuedKey;

export interface IssueKey extends PlanChoice {
  readonly type: 'issue';
  readonly name: string;
  readonly owner?: string | undefined;
  readonly scopes: readonly string[];
  readonly deployment: Deployment;
  readonly hash: string;
  readonly keyStart: string;
  readonly expiresAt: Date | undefined;
}

/** Changes of a key. Undefined keeps a value, null removes it. */
export interface UpdateKey extends Omit<PlanChoice, 'plan'> {
  readonly type: 'update';
  readonly plan?: Plan | undefined;
  readonly name?: string | undefined;
  readonly owner?: string | null | undefined;
  readonly expiresAt?: Date | null | undefined;
  readonly scopes?: readonly string[] | undefined;
}

export interface ChangeScopes {
  readonly type: 'add-scope' | 'remove-scope';
  readonly scope: string;
}

interface RotateKey {
  readonly type: 'rotate';
  readonly hash: string;
  readonly keyStart: string;
  /** Milliseconds for which the previous secret still works. */
  readonly grace: number;
}

/** A ban by the limiter, which is in force already. */
export interface RecordBan {
  readonly type: 'ban';
  readonly until: Date;
  /** Which ban of the ladder of ever longer bans it is, from 1. */
  readonly step: number;
  /** How often bans of the key had been lifted when this one was imposed. */
  readonly unbans: number;
}

/** A ban by an operator. It takes effect on every instance within a second and does not change the ladder of bans. */
interface ImposeBan {
  readonly type: 'impose-ban';
  readonly seconds: number;
  readonly reason: string;
}

/** A change of an API key that exists. */
export type KeyChange = UpdateKey | ChangeScopes | RotateKey | RecordBan | ImposeBan | { readonly type: 'revoke' | 'unban' };

/** Who decides, and when. */
interface Circumstances {
  readonly now: Date;
  /** Undefined for the command line and the service itself, which may do everything. */
  readonly by?: ActingKey | undefined;
}

interface KeyCircumstances extends Circumstances {
  readonly id: bigint;
  /** All scopes that exist. */
  readonly known: readonly string[];
}

/** The rules of an API key. */
export const apiKeyDecider: Decider<ApiKeyState, (IssueKey & Circumstances) | (KeyChange & KeyCircumstances), ApiKeyEvent> = {
  initialState: { status: 'none' },

  decide(command, state) {
    if (command.type === 'issue') return [issue(command)];
    if (state.status === 'none') throw new ApiKeyNotFoundError(command.id);
    if (state.status === 'issued') return change(command, state);
    // The limiter may ban a key that was revoked a moment ago.
    if (command.type === 'revoke' || command.type === 'ban') return [];
    throw ended(`API key ${command.id} is revoked and cannot be changed; create a new key.`);
  },

  evolve(state, event) {
    if (event.type === 'api-key-issued') {
      const { name, owner, plan, scopes, keyStart, expiresAt } = event.data;
      const limits = pickLimits(event.data);
      return { status: 'issued', name, owner, plan, ...limits, scopes, keyStart, expiresAt: toTime(expiresAt), unbans: 0 };
    }
    if (state.status !== 'issued') return state;
    switch (event.type) {
      case 'api-key-details-changed': {
        const { name, owner, expiresAt } = event.data;
        return { ...state, name, owner, expiresAt: toTime(expiresAt) };
      }
      case 'api-key-plan-changed':
        return { ...state, plan: event.data.plan, ...pickLimits(event.data) };
      case 'api-key-scopes-changed':
        return { ...state, scopes: event.data.scopes };
      case 'api-key-rotated':
        return { ...state, keyStart: event.data.keyStart, previousValidUntil: toTime(event.data.previousValidUntil) };
      case 'api-key-banned':
        return { ...state, bannedUntil: new Date(event.data.until), banStep: event.data.step, banReason: event.data.reason };
      case 'api-key-unbanned':
        // Events of older builds have no number of their own.
        return {
          ...state,
          bannedUntil: undefined,
          banStep: undefined,
          banReason: undefined,
          unbans: event.data.unbans ?? state.unbans + 1,
        };
      case 'api-key-revoked':
        return { ...state, status: 'revoked' };
      default:
        return state;
    }
  },
};

function toTime(time: string | null): Date | undefined {
  return time === null ? undefined : new Date(time);
}

function change(command: KeyChange & KeyCircumstances, key: ApiKeyDetails): ApiKeyEvent[] {
  switch (command.type) {
    case 'update':
      return update(command, key);
    case 'add-scope':
    case 'remove-scope':
      return changeScopes(command, key);
    case 'rotate':
      return [rotate(command, key)];
    case 'ban':
      // A ban was lifted after this one was imposed.
      return command.unbans < key.unbans ? [] : ban(key, command.until, { step: command.step });
    case 'impose-ban': {
      const { now, seconds, reason } = command;
      return ban(key, new Date(now.getTime() + seconds * 1_000), { step: key.banStep ?? 0, reason });
    }
    case 'unban':
      // Recorded in any case: the limiter may know of a ban that the log does not have.
      return [{ type: 'api-key-unbanned', data: { unbans: Math.max(key.unbans + 1, command.now.getTime()) } }];
    case 'revoke':
      return [{ type: 'api-key-revoked', data: {} }];
  }
}

function issue({ name, owner, scopes, deployment, hash, keyStart, expiresAt, now, by, ...choice }: IssueKey & Circumstances): ApiKeyEvent {
  assertFuture(expiresAt, now);
  assertMayGrant(by, scopes, 'a new key');
  const secret = { deployment, hash, keyStart };
  return { type: 'api-key-issued', data: { ...choosePlan(choice), ...details(name, owner, expiresAt), scopes, ...secret } };
}

function update(command: UpdateKey & KeyCircumstances, key: ApiKeyDetails): ApiKeyEvent[] {
  const { id, by, expiresAt, scopes } = command;
  const changed = changeDetails(command, key);
  const isLonger = expiresAt !== undefined && endOf({ expiresAt }) > endOf(key);
  // Extending a key grants its scopes for longer.
  if (isLonger) assertMayGrant(by, key.scopes, `API key ${id} for longer`);
  const terms = [...changePlan(command, key), ...(scopes ? setScopes(command, key.scopes, scopes) : [])];
  if (terms.length > 0 || isLonger) assertNotOwnTerms(by, id);
  return [...changed, ...terms];
}

function changeDetails({ name, owner, expiresAt, now }: UpdateKey & Circumstances, key: ApiKeyDetails): ApiKeyEvent[] {
  const before = details(key.name, key.owner, key.expiresAt);
  const after = details(name ?? key.name, owner === undefined ? key.owner : owner, expiresAt === undefined ? key.expiresAt : expiresAt);
  if (after.name === before.name && after.owner === before.owner && after.expiresAt === before.expiresAt) return [];
  if (after.expiresAt !== before.expiresAt) assertFuture(expiresAt, now);
  return [{ type: 'api-key-details-changed', data: after }];
}

/** Returns details as events have them. */
function details(name: string, owner: string | null | undefined, expiresAt: Date | null | undefined) {
  return { name, ...(owner && { owner }), expiresAt: expiresAt?.toISOString() ?? null };
}

/** Returns when a key ends, in milliseconds since 1970; Infinity if it does not. */
export function endOf({ expiresAt }: { readonly expiresAt?: Date | null | undefined }): number {
  return expiresAt?.getTime() ?? Infinity;
}

function assertFuture(expiresAt: Date | null | undefined, now: Date): void {
  if (expiresAt && expiresAt <= now) throw invalidMember('expiresAt', 'future', 'expiresAt must be in the future');
}

/** Keeps a limit that is not given if the plan stays enterprise. */
function changePlan(command: UpdateKey, key: ApiKeyDetails): ApiKeyEvent[] {
  const before = readPlan(key);
  const wanted = command.plan ?? before.plan;
  const kept = before.plan === 'enterprise' && wanted === 'enterprise' ? before.limits : undefined;
  const chosen = choosePlan({ plan: wanted, ...byLimit(({ member }) => command[member] ?? kept?.[member]) });
  const { limits } = readPlan(chosen);
  const isSame = wanted === before.plan && LIMIT_NAMES.every((name) => limits[name] === before.limits[name]);
  return isSame ? [] : [{ type: 'api-key-plan-changed', data: chosen }];
}

function changeScopes(command: ChangeScopes & KeyCircumstances, { scopes: before }: ApiKeyDetails): ApiKeyEvent[] {
  const { type, id, scope, known } = command;
  const has = before.includes(scope);
  // A scope that no longer exists can still be taken from a key.
  if (!has && !known.includes(scope)) throw invalidMember('scope', 'in', `scope must be one of ${known.join(', ')}`);
  if (has === (type === 'add-scope')) return [];
  const scopes = has ? before.filter((each) => each !== scope) : [...before, scope];
  if (scopes.length === 0) {
    throw invalidMember('scope', 'last', `API key ${id} has no scope but ${scope}; add another one first, or revoke the key`);
  }
  return setScopes(command, before, scopes);
}

function setScopes({ id, by }: KeyCircumstances, before: readonly string[], scopes: readonly string[]): ApiKeyEvent[] {
  const added = scopes.filter((scope) => !before.includes(scope));
  if (added.length === 0 && scopes.length === before.length) return [];
  assertNotOwnTerms(by, id);
  assertMayGrant(by, added, `API key ${id}`);
  return [{ type: 'api-key-scopes-changed', data: { scopes } }];
}

function rotate({ id, hash, keyStart, grace, now, by }: RotateKey & KeyCircumstances, { expiresAt, scopes }: ApiKeyDetails): ApiKeyEvent {
  if (!Number.isInteger(grace) || grace < 0 || grace > MAX_GRACE_MILLISECONDS) {
    throw invalidMember('grace', 'wholeNumber', 'grace must be a whole number of milliseconds, at most 365 days');
  }
  if (expiresAt && expiresAt <= now) {
    throw ended(`API key ${id} expired at ${expiresAt.toISOString()} and cannot be rotated; create a new key.`);
  }
  // The acting key learns the new secret.
  if (by?.id !== id) assertMayGrant(by, scopes, `the holder of API key ${id}`);
  const previousValidUntil = grace > 0 ? new Date(now.getTime() + grace).toISOString() : null;
  return { type: 'api-key-rotated', data: { hash, keyStart, previousValidUntil } };
}

/** Records nothing if a ban that lasts as long is recorded already. */
function ban({ bannedUntil }: ApiKeyDetails, until: Date, how: { readonly step: number; readonly reason?: string }): ApiKeyEvent[] {
  if (bannedUntil && until <= bannedUntil) return [];
  return [{ type: 'api-key-banned', data: { until: until.toISOString(), ...how } }];
}

function ended(message: string): ApplicationError {
  return new ApplicationError(authErrors.key_ended, message);
}
