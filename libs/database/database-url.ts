import { isAbsolute, resolve } from 'node:path';

/** Where the data is. */
export interface SqliteLocation {
  readonly kind: 'sqlite';
  /** Absolute path of the database file. */
  readonly path: string;
}

export type DatabaseLocation = SqliteLocation;

/**
 * Reads a `DATABASE_URL`. A relative path counts from the working directory.
 * @throws Error whose message says what would be right.
 */
export function parseDatabaseUrl(url: string): DatabaseLocation {
  const path = /^sqlite:(?:\/\/(?=\/))?(.+)$/.exec(url)?.[1];
  if (path === undefined) throw new Error('must be sqlite:PATH, such as sqlite:./data/adoption.sqlite');
  if (path.startsWith(':') || path.endsWith('/') || path.includes('\0')) {
    throw new Error('must name a file, such as sqlite:./data/adoption.sqlite (a database in memory cannot be shared between connections)');
  }
  return { kind: 'sqlite', path: isAbsolute(path) ? path : resolve(path) };
}
