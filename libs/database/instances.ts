import { hostname } from 'node:os';
import type { Database } from './database.js';

/** A process that serves on a database. */
interface ServiceInstance {
  /** Name and version, such as `shop/1.2.0`. */
  readonly application: string;
  readonly process: number;
  /** Name of the machine or container; a long one is cut off. */
  readonly host: string;
  readonly connections: number;
  /** Start of the oldest connection. */
  readonly connectedSince: Date;
  readonly isThis: boolean;
}

// PostgreSQL cuts off a longer `application_name`.
const MAX_NAME_CHARACTERS = 63;
const NAME = /^(?<application>\S+\/\S+) (?<process>\d+) (?<host>\S+)$/;

/** Names the sessions of this process on a server, so that others find it there. */
export function sessionName(application: string): string {
  return `${application} ${process.pid} ${hostname()}`.slice(0, MAX_NAME_CHARACTERS);
}

/**
 * Lists the processes that serve on the database, by the names of their sessions; undefined if only one can. Behind a pooler only those
 * that used a session last.
 * @throws DatabaseUnavailableError
 */
export async function listInstances({ dialect, reader }: Database): Promise<ServiceInstance[] | undefined> {
  if (!dialect.listSessions) return undefined;
  const sessions = await reader.query<{ name: string; connections: string; since: string }>(dialect.listSessions);
  return sessions.flatMap(({ name, connections, since }) => {
    const { application, process: id, host } = NAME.exec(name)?.groups ?? {};
    if (application === undefined || host === undefined) return [];
    const isThis = name === sessionName(application);
    return [{ application, process: Number(id), host, connections: Number(connections), connectedSince: new Date(Number(since)), isThis }];
  });
}
