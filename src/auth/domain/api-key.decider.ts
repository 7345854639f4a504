import { ApplicationError, invalidMember } from '#libs/observability';
import type { Decider } from '#libs/event-sourcing';
import { MANAGE_KEYS } from './api-key.js';
import type { ApiKeyFields } from './api-key-fields.js';
import { ApiKeyNotFoundError, authErrors, InsufficientScopeError } from './api-key.errors.js';
import type { ApiKeyEvent } from './api-key.events.js';
import type { Deployment } from './api-key-token.js';
import { byLimit, choosePlan, LIMIT_NAMES, pickLimits, readPlan, type GivenLimits, type Plan, type PlanChoice } from './plans.js';

const MAX_GRACE_MILLISECONDS = 365 * 24 * 60 * 60 * 1_000;

/** The values of a key that are given to it. */
export interface ApiKeyValues {
  readonly name: string;
  /** Null removes it. */
  readonly owner?: string | null | undefined;
  /** Null removes it. */
  readonly expiresAt?: Date | null | undefined;
  readonly plan?: Plan | undefined;
  readonly limits?: GivenLimits | undefined;
  readonly scopes?: readonly string[] | undefined;
}

export type ApiKeyState = { readonly status: 'none' } | (Readonly<ApiKeyFields> & { readonly status: 'issued' | 'revoked' });

/** What is stored of a secret. */
interface StoredSecret {
  readonly hash: string;
  readonly keyStart: string;
}

interface IssueKey extends ApiKeyValues, StoredSecret {
  readonly type: 'issue';
  readonly plan: Plan;
  readonly scopes: readonly string[];
  readonly deployment: Deployment;
}

/** A change of an API key that exists. */
export type KeyChange =
  // Undefined keeps a value.
  | ({ readonly type: 'update' } & Partial<ApiKeyValues>)
  | { readonly type: 'add-scope' | 'remove-scope'; readonly scope: string }
  // `grace`: milliseconds for which the previous secret still works.
  | ({ readonly type: 'rotate'; readonly grace: number } & StoredSecret)
  // A ban by the limiter, which is in force already. `unbans`: how often bans had been lifted when it was imposed.
  | { readonly type: 'record-ban'; readonly until: Date; readonly step: number; readonly unbans: number }
  // A ban by an operator. It takes effect on every instance within a second and does not change the ladder of bans.
  | { readonly type: 'ban'; readonly seconds: number; readonly reason: string }
  | { readonly type: 'revoke' | 'unban' };

/** The API key that changes a key. */
export interface ActingKey {
  readonly id: bigint;
  /** Includes the scopes that its scopes include. */
  readonly scopes: readonly string[];
}

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

type Change<Type extends KeyChange['type']> = Extract<KeyChange, { readonly type: Type }> & KeyCircumstances;

/** The rules of an API key. */
export const apiKeyDecider: Decider<ApiKeyState, (IssueKey & Circumstances) | (KeyChange & KeyCircumstances), ApiKeyEvent> = {
  initialState: { status: 'none' },

  decide(command, state) {
    if (command.type === 'issue') return [issue(command)];
    if (state.status === 'none') throw new ApiKeyNotFoundError(command.id);
    if (state.status === 'issued') return change(command, state);
    // The limiter may ban a key that was revoked a moment ago.
    if (command.type === 'revoke' || command.type === 'record-ban') return [];
    throw ended(`API key ${command.id} is revoked and cannot be changed; create a new key.`);
  },

  evolve(state, event) {
    if (event.type === 'api-key-issued') {
      const { scopes, keyStart } = event.data;
      return { status: 'issued', ...readDetails(event.data), ...readTerms(event.data), scopes, keyStart, unbans: 0 };
    }
    if (state.status !== 'issued') return state;
    switch (event.type) {
      case 'api-key-details-changed':
        return { ...state, ...readDetails(event.data) };
      case 'api-key-plan-changed':
        return { ...state, ...readTerms(event.data) };
      case 'api-key-scopes-changed':
        return { ...state, scopes: event.data.scopes };
      case 'api-key-rotated':
        return { ...state, keyStart: event.data.keyStart, previousValidUntil: toTime(event.data.previousValidUntil) };
      case 'api-key-banned':
        return { ...state, bannedUntil: new Date(event.data.until), banStep: event.data.step, banReason: event.data.reason };
      case 'api-key-unbanned': {
        // Events of older builds have no number of their own.
        const { unbans = state.unbans + 1 } = event.data;
        return { ...state, bannedUntil: undefined, banStep: undefined, banReason: undefined, unbans };
      }
      case 'api-key-revoked':
        return { ...state, status: 'revoked' };
      default:
        return state;
    }
  },
};

function readDetails({
  name,
  owner,
  expiresAt,
}: {
  readonly name: string;
  readonly owner?: string | undefined;
  readonly expiresAt: string | null;
}) {
  return { name, owner, expiresAt: toTime(expiresAt) };
}

function readTerms(data: PlanChoice) {
  return { plan: data.plan, ...pickLimits(data) };
}

function toTime(time: string | null): Date | undefined {
  return time === null ? undefined : new Date(time);
}

function change(command: KeyChange & KeyCircumstances, key: ApiKeyFields): ApiKeyEvent[] {
  const { now } = command;
  switch (command.type) {
    case 'update':
      return update(command, key);
    case 'add-scope':
    case 'remove-scope':
      return changeScopes(command, key);
    case 'rotate':
      return [rotate(command, key)];
    case 'record-ban':
      // A ban was lifted after this one was imposed.
      return command.unbans < key.unbans ? [] : ban(key, { until: command.until, step: command.step });
    case 'ban':
      return ban(key, { until: new Date(now.getTime() + command.seconds * 1_000), step: key.banStep ?? 0, reason: command.reason });
    case 'unban':
      // Recorded in any case: the limiter may know of a ban that the log does not have.
      return [{ type: 'api-key-unbanned', data: { unbans: Math.max(key.unbans + 1, now.getTime()) } }];
    case 'revoke':
      return [{ type: 'api-key-revoked', data: {} }];
  }
}

function issue({ plan, limits, scopes, deployment, hash, keyStart, now, by, ...values }: IssueKey & Circumstances): ApiKeyEvent {
  assertFuture(values.expiresAt, now);
  assertMayGrant(by, scopes, 'a new key');
  const terms = choosePlan({ plan, ...limits });
  return { type: 'api-key-issued', data: { ...terms, ...writeDetails(values), scopes, deployment, hash, keyStart } };
}

function update(command: Change<'update'>, key: ApiKeyFields): ApiKeyEvent[] {
  const { id, by, expiresAt, scopes } = command;
  const changed = changeDetails(command, key);
  const isLonger = expiresAt !== undefined && endOf({ expiresAt }) > endOf(key);
  // Extending a key grants its scopes for longer.
  if (isLonger) assertMayGrant(by, key.scopes, `API key ${id} for longer`);
  const terms = [...changePlan(command, key), ...(scopes ? setScopes(command, key.scopes, scopes) : [])];
  if (terms.length > 0 || isLonger) assertNotOwnTerms(by, id);
  return [...changed, ...terms];
}

function changeDetails(command: Change<'update'>, key: ApiKeyFields): ApiKeyEvent[] {
  const { name = key.name, owner = key.owner, expiresAt = key.expiresAt } = command;
  const before = writeDetails(key);
  const after = writeDetails({ name, owner, expiresAt });
  if (after.name === before.name && after.owner === before.owner && after.expiresAt === before.expiresAt) return [];
  if (after.expiresAt !== before.expiresAt) assertFuture(expiresAt, command.now);
  return [{ type: 'api-key-details-changed', data: after }];
}

function writeDetails({ name, owner, expiresAt }: Pick<ApiKeyValues, 'name' | 'owner' | 'expiresAt'>) {
  return { name, ...(owner && { owner }), expiresAt: expiresAt?.toISOString() ?? null };
}

/** Returns when a key ends, in milliseconds since 1970; Infinity if it does not. */
export function endOf({ expiresAt }: Pick<ApiKeyValues, 'expiresAt'>): number {
  return expiresAt?.getTime() ?? Infinity;
}

function assertFuture(expiresAt: Date | null | undefined, now: Date): void {
  if (expiresAt && expiresAt <= now) throw invalidMember('expiresAt', 'future', 'expiresAt must be in the future');
}

/** Keeps a limit that is not given if the plan stays enterprise. */
function changePlan({ plan, limits = {} }: Change<'update'>, key: ApiKeyFields): ApiKeyEvent[] {
  const before = readPlan(key);
  const wanted = plan ?? before.plan;
  const kept = before.plan === 'enterprise' && wanted === 'enterprise' ? before.limits : undefined;
  const chosen = choosePlan({ plan: wanted, ...byLimit(({ member }) => limits[member] ?? kept?.[member]) });
  const after = readPlan(chosen).limits;
  const isSame = wanted === before.plan && LIMIT_NAMES.every((name) => after[name] === before.limits[name]);
  return isSame ? [] : [{ type: 'api-key-plan-changed', data: chosen }];
}

function changeScopes({ type, scope, ...command }: Change<'add-scope' | 'remove-scope'>, { scopes: before }: ApiKeyFields): ApiKeyEvent[] {
  const { id, known } = command;
  const has = before.includes(scope);
  // A scope that no longer exists can still be taken from a key.
  if (!has && !known.includes(scope)) throw invalidMember('scope', 'in', `scope must be one of ${known.join(', ')}`);
  if (has === (type === 'add-scope')) return [];
  const scopes = has ? before.filter((each) => each !== scope) : [...before, scope];
  if (scopes.length > 0) return setScopes(command, before, scopes);
  throw invalidMember('scope', 'last', `API key ${id} has no scope but ${scope}; add another one first, or revoke the key`);
}

function setScopes({ id, by }: KeyCircumstances, before: readonly string[], scopes: readonly string[]): ApiKeyEvent[] {
  const added = scopes.filter((scope) => !before.includes(scope));
  if (added.length === 0 && scopes.length === before.length) return [];
  assertNotOwnTerms(by, id);
  assertMayGrant(by, added, `API key ${id}`);
  return [{ type: 'api-key-scopes-changed', data: { scopes } }];
}

function rotate({ id, hash, keyStart, grace, now, by }: Change<'rotate'>, { expiresAt, scopes }: ApiKeyFields): ApiKeyEvent {
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
function ban(
  { bannedUntil }: ApiKeyFields,
  { until, ...how }: { readonly until: Date; readonly step: number; readonly reason?: string },
): ApiKeyEvent[] {
  if (bannedUntil && until <= bannedUntil) return [];
  return [{ type: 'api-key-banned', data: { until: until.toISOString(), ...how } }];
}

/**
 * Checks that the acting key has all scopes that it grants.
 * @param to who gets the scopes, for the message
 * @throws InsufficientScopeError that names the missing scopes
 */
function assertMayGrant(by: ActingKey | undefined, scopes: readonly string[], to: string): void {
  const missing = by ? scopes.filter((scope) => !by.scopes.includes(scope)) : [];
  if (!by || missing.length === 0) return;
  throw new InsufficientScopeError(missing, `API key ${by.id} lacks the scope ${missing.join(' and ')}, so it cannot give it to ${to}.`);
}

/** Checks that the acting key does not change its own terms. @throws InsufficientScopeError */
function assertNotOwnTerms(by: ActingKey | undefined, id: bigint): void {
  if (by?.id !== id) return;
  const message = `API key ${id} cannot change its own scopes, plan or limits, or extend its expiry; use another key with the scope ${MANAGE_KEYS}.`;
  throw new InsufficientScopeError([MANAGE_KEYS], message);
}

function ended(message: string): ApplicationError {
  return new ApplicationError(authErrors.key_ended, message);
}
