import { hostname } from 'node:os';
import type { Database } from './database.js';

/** A process that serves on a database. */
export interface ServiceInstance {
  /** What it is, such as `shop/1.2.0`. */
  readonly application: string;
  readonly process: number;
  /** Of the machine or container; its end may be missing where it is long. */
  readonly host: string;
  readonly connections: number;
  /** Since when it has the oldest of them. */
  readonly connectedSince: Date;
  /** Whether it is the process that asks. */
  readonly isThis: boolean;
}

// What PostgreSQL keeps of an `application_name`.
const LONGEST_NAME = 63;
const NAME = /^(?<application>\S+\/\S+) (?<process>\d+) (?<host>\S+)$/;

/** What the service calls its sessions on a server, so that others find it there. */
export function sessionName(application: string): string {
  return `${application} ${process.pid} ${hostname()}`.slice(0, LONGEST_NAME);
}

/**
 * The processes that serve on the database, by the names of their sessions; undefined where only one can. Behind a pooler it tells of
 * those alone that a session of the server was given to last.
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
