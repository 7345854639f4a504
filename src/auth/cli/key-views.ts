import { fields, formatRelativeTime, table, toned, when, type Cell } from '#libs/cli';
import { keyStatus, type ApiKeyView } from '../domain/api-key-view.js';
import { WINDOWS, type WindowName } from '../domain/plans.js';
import type { UsedApiKey } from '../queries/api-keys.query.js';
import type { KeyUsage, UsageOfDay, WindowUsage, WindowUsages } from '../queries/key-usage.query.js';

/** A key with what it has used up of its plan. */
export type KeyWithUsage = UsedApiKey & Pick<KeyUsage, 'ban'> & { readonly usage: WindowUsages };

/** A key as it is now, with its usage if that was read, and with its secret if that is new. */
type ShownKey = ApiKeyView & Partial<Pick<KeyWithUsage, 'lastUsedAt' | 'usage'>> & { readonly key?: string | null };

/** All that people see of one API key. */
export const keyFields = fields<ShownKey>((key) => ({
  id: key.id,
  name: key.name,
  owner: key.owner,
  'key begins with': key.keyStart,
  state: stateCell(key),
  'why it is banned': keyStatus(key, new Date()) === 'banned' ? key.lastBan?.reason : undefined,
  plan: key.plan,
  limits: WINDOWS.map(({ name, member }) => `${key.limits[member]} a ${name}`).join(', '),
  scopes: key.scopes.join(', '),
  created: when(key.createdAt),
  expires: when(key.expiresAt) ?? 'never',
  rotated: when(key.rotatedAt),
  'previous key works until': when(key.previousKeyValidUntil),
  ...(key.usage && { 'last use': when(key.lastUsedAt) ?? 'never', ...windowCells(key.usage) }),
  ...(key.key && { 'key, shown this once': toned('strong', key.key) }),
}));

export const keysTable = table<KeyWithUsage>('There is no such API key; "keys create" makes one.', (key) => ({
  id: key.id,
  name: key.name,
  state: stateCell(key),
  ...shareCells(key.usage, WINDOWS.slice(-1)),
  plan: key.plan,
  'last use': key.lastUsedAt && formatRelativeTime(key.lastUsedAt),
  owner: key.owner,
  scopes: key.scopes.join(', '),
  ...shareCells(key.usage, WINDOWS.slice(0, -1)),
  expires: key.expiresAt === null ? 'never' : formatRelativeTime(key.expiresAt),
  key: key.keyStart && `${key.keyStart}…`,
}));

export const scopesTable = table<ApiKeyView>('There is no such key.', ({ id, name, scopes, owner }) => ({
  ...{ id, name, scopes: scopes.join(', '), owner },
}));

export const daysTable = table<UsageOfDay>('There are no days.', ({ date, requests, refusals }) => ({ date, requests, refusals }));

export const usageFields = fields<KeyUsage>(({ id, plan, ban, ...windows }) => ({
  id,
  plan,
  ...windowCells(windows),
  banned: ban ? `until ${when(ban.until) ?? ''}, ${ban.reason ?? `step ${ban.step}`}` : 'no',
}));

/** Whether a key can be used, and if not, why. */
function stateCell(key: ApiKeyView): Cell {
  const { revokedAt, lastBan } = key;
  switch (keyStatus(key, new Date())) {
    case 'revoked':
      return toned('quiet', `revoked ${when(revokedAt) ?? ''}`);
    case 'expired':
      return toned('quiet', 'expired');
    case 'banned':
      return toned('bad', `banned until ${when(lastBan?.until) ?? ''}`);
    case 'active':
      return toned('good', 'in use');
  }
}

function shareCells(windows: WindowUsages, shown: readonly { readonly name: WindowName }[]) {
  return Object.fromEntries(shown.map(({ name }) => [name, formatShare(windows[name])]));
}

function windowCells(windows: WindowUsages) {
  const describe = (usage: WindowUsage) => `${formatShare(usage)}, resets ${formatRelativeTime(usage.resetsAt)}`;
  return Object.fromEntries(WINDOWS.map(({ name }) => [`used ${name === 'day' ? 'today' : `this ${name}`}`, describe(windows[name])]));
}

function formatShare({ used, limit }: WindowUsage): string {
  return `${used} of ${limit}`;
}
