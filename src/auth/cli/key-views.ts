import { fields, toned, when, type Cell, type Cells } from '#libs/cli';
import { keyStatus, type ApiKeyView } from '../domain/api-key-view.js';
import { WINDOWS } from '../domain/plans.js';

/** A key as it is now, with its secret if that is new. */
export type ApiKeyWithSecret = ApiKeyView & { readonly key?: string | null };

/** All that people see of one API key. */
export const keyFields = fields<ApiKeyWithSecret>((key) => ({
  ...apiKeyCells(key),
  ...(key.key && { 'key, shown this once': toned('strong', key.key) }),
}));

/** What people see of one API key. */
export function apiKeyCells(key: ApiKeyView): Cells {
  const { id, name, owner, keyStart, plan, limits, scopes, createdAt, expiresAt, rotatedAt, previousKeyValidUntil } = key;
  return {
    id,
    name,
    owner,
    'key begins with': keyStart,
    state: stateCell(key),
    'why it is banned': keyStatus(key, new Date()) === 'banned' ? key.lastBan?.reason : undefined,
    plan,
    limits: WINDOWS.map(({ name, member }) => `${limits[member]} a ${name}`).join(', '),
    scopes: scopes.join(', '),
    created: when(createdAt),
    expires: when(expiresAt) ?? 'never',
    rotated: when(rotatedAt),
    'previous key works until': when(previousKeyValidUntil),
  };
}

/** Whether a key can be used, and if not, why. */
export function stateCell(key: ApiKeyView): Cell {
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
