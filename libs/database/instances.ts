import { hostname } from 'node:os';
import type { Database } from './database.js';

// PostgreSQL cuts off a longer `application_name`.
const MAX_NAME_CHARACTERS = 63;
const NAME = /^\S+\/\S+ \d+ \S+$/;

/** Names the sessions of this process on a server by application, process and host, so that others find it there. */
export function sessionName(application: string): string {
  return `${application} ${process.pid} ${hostname()}`.slice(0, MAX_NAME_CHARACTERS);
}

/**
 * Counts the processes that serve on the database, and their connections; undefined if only one can. Behind a pooler only those that used a
 * session last.
 * @throws DatabaseUnavailableError
 */
export async function countInstances({
  dialect,
  reader,
}: Database): Promise<{ readonly count: number; readonly connections: number } | undefined> {
  if (!dialect.listSessions) return undefined;
  const sessions = await reader.query<{ name: string }>(dialect.listSessions);
  const names = sessions.map(({ name }) => name).filter((name) => NAME.test(name));
  return { count: new Set(names).size, connections: names.length };
}
