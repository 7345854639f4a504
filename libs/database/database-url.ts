import { isAbsolute, resolve } from 'node:path';

/** A database file of this machine. */
interface SqliteLocation {
  readonly kind: 'sqlite';
  /** Absolute path of the database file. */
  readonly path: string;
}

/** A database of a PostgreSQL server. */
export interface PostgresLocation extends Partial<PostgresSettings> {
  readonly kind: 'postgres';
  /** May list several servers; the primary is used. */
  readonly url: string;
}

export interface PostgresSettings {
  /** `application_name` of the sessions; a service adds its process and host. Default: none. */
  readonly applicationName: string;
  /** URL of the role that runs the migrations and owns the tables. Default: the same URL. */
  readonly migrationUrl: string;
  /** Number of connections that read. */
  readonly poolSize: number;
  /** Milliseconds after which the service gives up on a connection, a lock or a statement. */
  readonly timeout: number;
}

export type DatabaseLocation = SqliteLocation | PostgresLocation;

const POSTGRES_SCHEME = /^postgres(?:ql)?:\/\//;
const SERVER_LIST = /^(?<scheme>postgres(?:ql)?:\/\/)(?<user>[^/?#]*@)?(?<hosts>[^/?#]*)(?<rest>.*)$/s;

// libpq's values that fit a primary: nothing is served from a standby.
const WANTED_SERVER = 'target_session_attrs';
const WANTED_SERVERS = ['read-write', 'primary', 'any'];
const SERVER_KIND = /^[a-z-]{1,20}$/;

/**
 * Parses a `DATABASE_URL`. A relative path counts from the working directory.
 * @param example URL of a file for the message
 * @throws Error that says what would be right, without the URL, which may hold a password.
 */
export function parseDatabaseUrl(url: string, example = 'sqlite:./data/service.sqlite'): DatabaseLocation {
  if (POSTGRES_SCHEME.test(url)) return { kind: 'postgres', url: parsePostgresUrl(url) };
  const path = /^sqlite:(?:\/\/(?=\/))?(.+)$/.exec(url)?.[1];
  if (path === undefined) throw new Error(`must be sqlite:PATH, such as ${example}, or postgres://USER:PASSWORD@HOST:5432/DATABASE`);
  if (path.startsWith(':') || path.endsWith('/') || path.includes('\0')) {
    throw new Error(`must name a file, such as ${example} (a database in memory cannot be shared between connections)`);
  }
  return { kind: 'sqlite', path: isAbsolute(path) ? path : resolve(path) };
}

/** Checks the URL of a PostgreSQL database. @throws Error that says what would be right. */
export function parsePostgresUrl(url: string): string {
  const right =
    'must be postgres://USER:PASSWORD@HOST:5432/DATABASE, with special characters of the password percent-encoded; several servers ' +
    'are separated by commas, as in postgres://USER:PASSWORD@ONE:5432,OTHER:5432/DATABASE?target_session_attrs=read-write';
  const servers = serverUrls(url);
  if (!servers.every((server) => URL.canParse(server) && isComplete(parseParts(server)))) throw new Error(right);
  const wanted = new URL(servers[0] ?? '').searchParams.get(WANTED_SERVER);
  if (wanted === null || WANTED_SERVERS.includes(wanted)) return url;
  throw new Error(`must not ask for ${WANTED_SERVER}=${SERVER_KIND.test(wanted) ? wanted : '…'}; use one of ${WANTED_SERVERS.join(', ')}`);
}

/** Returns a URL for each server that a URL of a PostgreSQL database lists, in the form of libpq. */
export function serverUrls(url: string): string[] {
  const { scheme = '', user = '', hosts = '', rest = '' } = SERVER_LIST.exec(url)?.groups ?? {};
  return hosts.split(',').map((host) => `${scheme}${user}${host}${rest}`);
}

/** Names a database in messages and logs, without user and password. */
export function describeLocation(location: DatabaseLocation): string {
  if (location.kind === 'sqlite') return location.path;
  const servers = serverUrls(location.url).map(parseParts);
  return `${servers[0]?.name ?? ''} at ${servers.map(({ host }) => host).join(',')}`;
}

/** Returns the server, also a socket given as a parameter, and the name of the database. */
function parseParts(url: string): { readonly host: string; readonly name: string } {
  const { host, pathname, searchParams } = new URL(url);
  return { host: host === '' ? (searchParams.get('host') ?? '') : host, name: decodeURIComponent(pathname.slice(1)) };
}

/** A list of servers as a parameter would be taken for the name of one. */
function isComplete({ host, name }: ReturnType<typeof parseParts>): boolean {
  return host !== '' && !host.includes(',') && name !== '';
}
