import type { Scope } from '../domain/scope.js';

const ORIGIN = /^https?:\/\/[^/?#]*/i;
const GRAPHQL = '/graphql';

/**
 * The scope that a request target needs: `graphql` at and under `/graphql`, else `pets`.
 * The path is read as the router reads it: an absolute target's origin is left out, percent-encoding is decoded once.
 */
export function requiredScope(target: string): Scope {
  const path = decode(pathOf(target));
  return path === GRAPHQL || path.startsWith(`${GRAPHQL}/`) ? 'graphql' : 'pets';
}

function pathOf(target: string): string {
  const local = target.startsWith('/') ? target : target.replace(ORIGIN, '');
  const end = local.search(/[?#]/);
  return end === -1 ? local : local.slice(0, end);
}

function decode(path: string): string {
  if (!path.includes('%')) return path;
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}
