import { toned, when, type Cell, type Cells } from '#libs/cli';
import type { ApiKeyView } from '../queries/api-keys.query.js';

/** What people see of one API key. */
export function apiKeyCells(key: ApiKeyView): Cells {
  const { id, name, keyStart, plan, limits, scopes, createdAt, rotatedAt, previousKeyValidUntil } = key;
  return {
    id,
    name,
    'key begins with': keyStart,
    state: stateCell(key),
    plan,
    limits: `${limits.perMinute} a minute, ${limits.perDay} a day`,
    scopes: scopes.join(', '),
    created: when(createdAt),
    expires: expiryCell(key),
    rotated: when(rotatedAt),
    'previous key works until': when(previousKeyValidUntil),
  };
}

/** Whether a key can be used, and if not, why. */
export function stateCell({ revokedAt, expiresAt, lastBan }: ApiKeyView): Cell {
  const now = Date.now();
  if (revokedAt !== null) return toned('quiet', `revoked ${when(revokedAt) ?? ''}`);
  if (expiresAt !== null && Date.parse(expiresAt) <= now) return toned('quiet', 'expired');
  if (lastBan && Date.parse(lastBan.until) > now) return toned('bad', `banned until ${when(lastBan.until) ?? ''}`);
  return toned('good', 'in use');
}

/** When a key expires, or that it never does. */
export function expiryCell({ expiresAt }: ApiKeyView): Cell {
  return when(expiresAt) ?? 'never';
}
