import { isAbsolute, resolve } from 'node:path';

/** A database file of this machine. */
export interface SqliteLocation {
  readonly kind: 'sqlite';
  /** Absolute path of the database file. */
  readonly path: string;
}

/** A database of a PostgreSQL server. */
export interface PostgresLocation extends Partial<PostgresSettings> {
  readonly kind: 'postgres';
  /** May list several servers, of which the primary is used. */
  readonly url: string;
}

/** How a PostgreSQL server is used. What is left out has the default of `PostgresEngine`. */
export interface PostgresSettings {
  /** What the server calls its sessions, as `application_name`, a service with its process and host; nothing when left out. */
  readonly applicationName: string;
  /** Where the migrations run, as the role that owns the tables; the same URL when left out. */
  readonly migrationUrl: string;
  /** Connections that read; one more writes. */
  readonly poolSize: number;
  /** Milliseconds after which the service gives up on a connection, a lock or a statement. */
  readonly timeout: number;
}

export type DatabaseLocation = SqliteLocation | PostgresLocation;

const POSTGRES_SCHEME = /^postgres(?:ql)?:\/\//;
const SERVER_LIST = /^(?<scheme>postgres(?:ql)?:\/\/)(?<user>[^/?#]*@)?(?<hosts>[^/?#]*)(?<rest>.*)$/s;

// Of libpq's values those that a primary meets: nothing is served from a standby.
const WANTED_SERVER = 'target_session_attrs';
const WANTED_SERVERS = ['read-write', 'primary', 'any'];
const SERVER_KIND = /^[a-z-]{1,20}$/;

/**
 * Reads a `DATABASE_URL`. A relative path counts from the working directory.
 * @param example the URL of a file that the message names
 * @throws Error whose message says what would be right, and never repeats the URL, which may hold a password.
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

/** Reads the URL of a PostgreSQL database. @throws Error whose message says what would be right. */
export function parsePostgresUrl(url: string): string {
  const right =
    'must be postgres://USER:PASSWORD@HOST:5432/DATABASE, with special characters of the password percent-encoded; several servers ' +
    'are separated by commas, as in postgres://USER:PASSWORD@ONE:5432,OTHER:5432/DATABASE?target_session_attrs=read-write';
  const servers = serverUrls(url);
  if (!servers.every((server) => URL.canParse(server) && isWhole(partsOf(server)))) throw new Error(right);
  const wanted = new URL(servers[0] ?? '').searchParams.get(WANTED_SERVER);
  if (wanted === null || WANTED_SERVERS.includes(wanted)) return url;
  throw new Error(
    `must not ask for ${WANTED_SERVER}=${SERVER_KIND.test(wanted) ? wanted : '…'}, but for one of ${WANTED_SERVERS.join(', ')}`,
  );
}

/** The URLs of the servers that a URL of a PostgreSQL database lists, as libpq does: of one server each. */
export function serverUrls(url: string): string[] {
  const { scheme = '', user = '', hosts = '', rest = '' } = SERVER_LIST.exec(url)?.groups ?? {};
  return hosts.split(',').map((host) => `${scheme}${user}${host}${rest}`);
}

/** Names a database in messages and logs, without user and password. */
export function describeLocation(location: DatabaseLocation): string {
  if (location.kind === 'sqlite') return location.path;
  const servers = serverUrls(location.url).map(partsOf);
  return `${servers[0]?.name ?? ''} at ${servers.map(({ host }) => host).join(',')}`;
}

interface UrlParts {
  readonly host: string;
  readonly name: string;
}

/** The server, also where it is a socket given as a parameter, and the name of the database. */
function partsOf(url: string): UrlParts {
  const { host, pathname, searchParams } = new URL(url);
  return { host: host === '' ? (searchParams.get('host') ?? '') : host, name: decodeURIComponent(pathname.slice(1)) };
}

/** A list of servers as a parameter would be taken for the name of one. */
function isWhole({ host, name }: UrlParts): boolean {
  return host !== '' && !host.includes(',') && name !== '';
}
