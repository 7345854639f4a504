import { ApplicationError, invalidMember } from '#libs/observability';
import type { Decider } from '#libs/event-sourcing';
import { assertMayGrant, assertNotOwnTerms, type ActingKey } from './acting-key.js';
import { ApiKeyNotFoundError, authErrors } from './api-key.errors.js';
import { getLimits, planTerms, storedPlanTerms, type PlanChoice, type PlanTerms, type RecordedBan } from './api-key.js';
import type { ApiKeyBanned, ApiKeyEvent, ApiKeyUnbanned } from './api-key.events.js';
import type { Deployment } from './api-key-token.js';

const MAX_GRACE_MILLISECONDS = 365 * 24 * 60 * 60 * 1_000;

export interface IssueKey extends PlanChoice {
  readonly type: 'issue';
  readonly name: string;
  readonly owner?: string | undefined;
  readonly scopes: readonly string[];
  readonly deployment: Deployment;
  readonly hash: string;
  readonly keyStart: string;
  readonly expiresAt: Date | null;
  readonly now: Date;
  /** Undefined for the command line and the service itself, which may do everything; in all commands. */
  readonly by?: ActingKey | undefined;
}

/** Changes of a key. Undefined keeps a value, null removes it. */
export interface KeyChanges {
  readonly name?: string | undefined;
  readonly owner?: string | null | undefined;
  readonly expiresAt?: Date | null | undefined;
  readonly plan?: string | undefined;
  readonly perMinute?: number | undefined;
  readonly perDay?: number | undefined;
  readonly scopes?: readonly string[] | undefined;
}

interface UpdateKey {
  readonly type: 'update';
  readonly id: bigint;
  readonly changes: KeyChanges;
  readonly now: Date;
  readonly by?: ActingKey | undefined;
}

export interface ChangeScopes {
  readonly type: 'add-scope' | 'remove-scope';
  readonly id: bigint;
  readonly scope: string;
  /** All scopes that exist. */
  readonly known: readonly string[];
  readonly by?: ActingKey | undefined;
}

interface RotateKey {
  readonly type: 'rotate';
  readonly id: bigint;
  readonly hash: string;
  readonly keyStart: string;
  /** Milliseconds for which the previous secret still works. */
  readonly grace: number;
  readonly now: Date;
  readonly by?: ActingKey | undefined;
}

interface BanKey {
  readonly type: 'ban';
  readonly id: bigint;
  readonly until: Date;
  readonly step: number;
  /** `unbans` of the recorded ban when this ban was imposed. */
  readonly unbans: number;
}

/** A ban by an operator. It takes effect on every instance within a second and does not change the ladder of bans. */
interface ImposeBan {
  readonly type: 'impose-ban';
  readonly id: bigint;
  readonly until: Date;
  readonly reason: string;
}

type RevokeKey = { readonly type: 'revoke'; readonly id: bigint };
type UnbanKey = { readonly type: 'unban'; readonly id: bigint; readonly now: Date };

/** A change of an API key that exists. */
export type ChangeKey = UpdateKey | ChangeScopes | RotateKey | RevokeKey | BanKey | ImposeBan | UnbanKey;

/** A change that keeps the secret, without the acting key, the time and the known scopes, which the handler adds. */
export type ApiKeyChange =
  Omit<UpdateKey, 'now' | 'by'> | Omit<ChangeScopes, 'known' | 'by'> | RevokeKey | ImposeBan | Omit<UnbanKey, 'now'>;

interface IssuedKeyState {
  readonly status: 'issued';
  readonly name: string;
  readonly owner: string | undefined;
  readonly terms: PlanTerms;
  readonly scopes: readonly string[];
  readonly expiresAt: string | null;
  readonly ban: RecordedBan;
}

export type ApiKeyState = { readonly status: 'none' } | IssuedKeyState | { readonly status: 'revoked' };

/** The rules of an API key. */
export const apiKeyDecider: Decider<ApiKeyState, IssueKey | ChangeKey, ApiKeyEvent> = {
  initialState: { status: 'none' },

  decide(command, state) {
    if (command.type === 'issue') return [issue(command)];
    if (state.status === 'none') throw new ApiKeyNotFoundError(command.id);
    if (command.type === 'revoke') return state.status === 'revoked' ? [] : [{ type: 'api-key-revoked', data: {} }];
    // The limiter may ban a key that was revoked a moment ago.
    if (state.status === 'revoked' && command.type === 'ban') return [];
    if (state.status === 'revoked') throw ended(`API key ${command.id} is revoked and cannot be changed; create a new key.`);
    return change(command, state);
  },

  evolve(state, event) {
    switch (event.type) {
      case 'api-key-issued': {
        const { name, owner, scopes, expiresAt } = event.data;
        return {
          status: 'issued',
          name,
          owner,
          terms: storedPlanTerms(event.data),
          scopes,
          expiresAt,
          ban: { until: 0, step: 0, unbans: 0 },
        };
      }
      case 'api-key-details-changed':
        return state.status === 'issued' ? { ...state, owner: undefined, ...event.data } : state;
      case 'api-key-plan-changed':
        return state.status === 'issued' ? { ...state, terms: storedPlanTerms(event.data) } : state;
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

function change(command: Exclude<ChangeKey, RevokeKey>, state: IssuedKeyState): ApiKeyEvent[] {
  switch (command.type) {
    case 'rotate':
      return [rotate(command, state)];
    case 'update':
      return update(command, state);
    case 'add-scope':
    case 'remove-scope':
      return changeScopes(command, state.scopes);
    case 'ban':
      return ban(command, state.ban);
    case 'impose-ban':
      return imposeBan(command, state.ban);
    case 'unban':
      // Recorded in any case: the limiter may know of a ban that the log does not have.
      return [{ type: 'api-key-unbanned', data: { unbans: Math.max(state.ban.unbans + 1, command.now.getTime()) } }];
  }
}

function issue({ name, owner, scopes, deployment, hash, keyStart, expiresAt, now, by, ...choice }: IssueKey): ApiKeyEvent {
  assertFuture(expiresAt, now);
  assertMayGrant(by, scopes, 'a new key');
  const data = { name, ...(owner !== undefined && { owner }), scopes, deployment, hash, keyStart, expiresAt: toText(expiresAt) };
  return { type: 'api-key-issued', data: { ...planTerms(choice), ...data } };
}

function update({ id, changes, now, by }: UpdateKey, state: IssuedKeyState): ApiKeyEvent[] {
  const details = changeDetails(changes, now, state);
  const isLonger = details.length > 0 && isLater(changes.expiresAt, state.expiresAt);
  // Extending a key grants its scopes for longer.
  if (isLonger) assertMayGrant(by, state.scopes, `API key ${id} for longer`);
  const terms = [
    ...changePlan(changes, state.terms),
    ...(changes.scopes ? setScopes(id, changes.scopes, { before: state.scopes, by }) : []),
  ];
  if (terms.length > 0 || isLonger) assertNotOwnTerms(by, id);
  return [...details, ...terms];
}

function changeDetails(changes: KeyChanges, now: Date, before: IssuedKeyState): ApiKeyEvent[] {
  const { name = before.name, owner: ownerAfter = before.owner, expiresAt: end } = changes;
  const owner = ownerAfter ?? undefined;
  const expiresAt = end === undefined ? before.expiresAt : toText(end);
  if (name === before.name && owner === before.owner && expiresAt === before.expiresAt) return [];
  if (expiresAt !== before.expiresAt) assertFuture(end ?? null, now);
  return [{ type: 'api-key-details-changed', data: { name, ...(owner !== undefined && { owner }), expiresAt } }];
}

function isLater(end: Date | null | undefined, before: string | null): boolean {
  if (end === undefined || before === null) return false;
  return end === null || end > new Date(before);
}

function assertFuture(expiresAt: Date | null, now: Date): void {
  if (expiresAt && expiresAt <= now) throw invalidMember('expiresAt', 'future', 'expiresAt must be in the future');
}

function toText(time: Date | null): string | null {
  return time?.toISOString() ?? null;
}

/** Keeps a limit that is not given if the plan stays enterprise. */
function changePlan({ plan, perMinute, perDay }: KeyChanges, before: PlanTerms): ApiKeyEvent[] {
  const limitsBefore = getLimits(before);
  const kept = before.plan === 'enterprise' && (plan ?? before.plan) === 'enterprise' ? limitsBefore : {};
  const given = { ...(perMinute !== undefined && { perMinute }), ...(perDay !== undefined && { perDay }) };
  const terms = planTerms({ plan: plan ?? before.plan, ...kept, ...given });
  const limits = getLimits(terms);
  const isSame = terms.plan === before.plan && limits.perMinute === limitsBefore.perMinute && limits.perDay === limitsBefore.perDay;
  return isSame ? [] : [{ type: 'api-key-plan-changed', data: terms }];
}

function changeScopes({ type, id, scope, known, by }: ChangeScopes, before: readonly string[]): ApiKeyEvent[] {
  const has = before.includes(scope);
  // A scope that no longer exists can still be taken from a key.
  if (!has && !known.includes(scope)) throw invalidMember('scope', 'in', `scope must be one of ${known.join(', ')}`);
  if (has === (type === 'add-scope')) return [];
  const scopes = has ? before.filter((each) => each !== scope) : [...before, scope];
  if (scopes.length === 0) {
    throw invalidMember('scope', 'last', `API key ${id} has no scope but ${scope}; add another one first, or revoke the key`);
  }
  return setScopes(id, scopes, { before, by });
}

function setScopes(
  id: bigint,
  scopes: readonly string[],
  { before, by }: { readonly before: readonly string[]; readonly by: ActingKey | undefined },
): ApiKeyEvent[] {
  const added = scopes.filter((scope) => !before.includes(scope));
  if (added.length === 0 && scopes.length === before.length) return [];
  assertNotOwnTerms(by, id);
  assertMayGrant(by, added, `API key ${id}`);
  return [{ type: 'api-key-scopes-changed', data: { scopes } }];
}

function rotate({ id, hash, keyStart, grace, now, by }: RotateKey, { expiresAt, scopes }: IssuedKeyState): ApiKeyEvent {
  if (!Number.isInteger(grace) || grace < 0 || grace > MAX_GRACE_MILLISECONDS) {
    throw invalidMember('grace', 'wholeNumber', 'grace must be a whole number of milliseconds, at most 365 days');
  }
  if (expiresAt !== null && new Date(expiresAt) <= now) {
    throw ended(`API key ${id} expired at ${expiresAt} and cannot be rotated; create a new key.`);
  }
  // The acting key learns the new secret.
  if (by?.id !== id) assertMayGrant(by, scopes, `the holder of API key ${id}`);
  const previousValidUntil = grace > 0 ? new Date(now.getTime() + grace).toISOString() : null;
  return { type: 'api-key-rotated', data: { hash, keyStart, previousValidUntil } };
}

/** Records a ban, unless a ban was lifted after it was imposed or one that lasts as long is recorded already. */
function ban({ until, step, unbans }: BanKey, recorded: RecordedBan): ApiKeyEvent[] {
  if (unbans < recorded.unbans || until.getTime() <= recorded.until) return [];
  return [{ type: 'api-key-banned', data: { until: until.toISOString(), step } }];
}

/** Records nothing if a ban in force lasts as long. */
function imposeBan({ until, reason }: ImposeBan, recorded: RecordedBan): ApiKeyEvent[] {
  if (until.getTime() <= recorded.until) return [];
  return [{ type: 'api-key-banned', data: { until: until.toISOString(), step: recorded.step, reason } }];
}

function banAfter({ unbans }: RecordedBan, event: ApiKeyBanned | ApiKeyUnbanned): RecordedBan {
  if (event.type === 'api-key-unbanned') return { until: 0, step: 0, unbans: unbansAfter(unbans, event.data) };
  const { until, step, reason } = event.data;
  return { until: Date.parse(until), step, unbans, ...(reason !== undefined && { reason }) };
}

/** Returns how often bans were lifted after one more was. Events of older builds have no number of their own. */
export function unbansAfter(before: number, { unbans }: ApiKeyUnbanned['data']): number {
  return unbans ?? before + 1;
}

function ended(message: string): ApplicationError {
  return new ApplicationError(authErrors.key_ended, message);
}
