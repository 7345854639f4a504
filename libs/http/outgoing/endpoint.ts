import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A URL that nothing is sent to. The message continues "url …" and may be shown to the URL's owner. */
export class RefusedEndpointError extends Error {}

/** Finds all addresses of a name. Rejects with an error that has a code of `node:dns`. */
export type Resolve = (name: string) => Promise<readonly LookupAddress[]>;

export interface EndpointRulesOptions {
  /** Ports beyond 443 and 8443 that may be sent to. */
  readonly allowedPorts: readonly number[];
  /**
   * Allows `http` and every port if all addresses are loopback: 127.0.0.0/8, `::1`, `localhost` and names below it. For development: a
   * service that has it can be turned against its own machine.
   */
  readonly allowLoopback: boolean;
  readonly resolve: Resolve;
}

/** Where a connection leads, as `URL` writes it; the port is empty if it is the usual one. */
export type Origin = Pick<URL, 'protocol' | 'hostname' | 'port'>;

/** For a lookup as a whole, however many name servers are silent. */
const LOOKUP_MILLISECONDS = 2_000;
/** Until the first query is repeated; the next ones wait twice as long each. */
const FIRST_QUERY_MILLISECONDS = 500;
const QUERIES_PER_SERVER = 3;

/** These say that a name has no address. Every other error may be gone at the next lookup. */
const WITHOUT_ADDRESS: readonly string[] = ['ENOTFOUND', 'ENODATA', 'EBADNAME'];
const ALWAYS_ALLOWED_PORTS: readonly number[] = [443, 8443];
const LOCAL_NAME = /^(?:.*\.)?localhost\.*$/;
/** What names below `localhost` mean, wherever they are looked up (RFC 6761). */
const LOCAL_ADDRESSES: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];
/** Azure answers its own machines from this address, which is otherwise a public one. */
const AZURE_PLATFORM = '168.63.129.16';
/** Nothing else of IPv6 is given out as public. */
const GLOBAL_UNICAST_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** `URL` would drop these or silently turn them into something else. */
const SILENTLY_CHANGED = /[\p{Cc}\p{Cs}\p{Z}\\]/u;
const SCHEME = /^([a-z][a-z0-9+.-]*):\/\//i;
const WITH_HOST = /^[a-z]+:\/\/[^/?]/i;
const WITH_CREDENTIALS = /^[a-z]+:\/\/[^/?]*@/i;
const NOT_HTTPS = 'must begin with https://';

/** Decides which endpoints may be sent to, by their URL and by the addresses that it leads to. */
export class EndpointRules {
  private readonly ports: readonly number[];

  constructor(private readonly options: EndpointRulesOptions) {
    this.ports = [...ALWAYS_ALLOWED_PORTS, ...options.allowedPorts];
  }

  /** Parses a URL without looking up its name. @throws RefusedEndpointError if it is refused wherever its name leads to */
  parse(text: string): URL {
    const url = parseUrl(text);
    const host = getHost(url);
    if (isIP(host)) this.assertAddresses(url, [{ address: host }]);
    else if (!this.options.allowLoopback) {
      this.assertSchemeAndPort(url);
      if (LOCAL_NAME.test(host)) throw new RefusedEndpointError('must not lead to localhost');
    }
    return url;
  }

  /** Returns the present addresses of an origin, each of which may be connected to. @throws RefusedEndpointError if one may not */
  async resolve(origin: Origin): Promise<readonly LookupAddress[]> {
    const addresses = await this.findAddresses(getHost(origin));
    this.assertAddresses(origin, addresses);
    return addresses;
  }

  /** @throws RefusedEndpointError if the name has no address, or if that cannot be found out now */
  private async findAddresses(host: string): Promise<readonly LookupAddress[]> {
    const family = isIP(host);
    if (family !== 0) return [{ address: host, family }];
    if (LOCAL_NAME.test(host)) return LOCAL_ADDRESSES;
    const addresses = await this.options.resolve(host).catch((error: unknown) => {
      if (isWithoutAddress(error)) return [];
      throw new RefusedEndpointError(`has a host that cannot be resolved now (${host}): try again later`);
    });
    if (addresses.length === 0) throw new RefusedEndpointError(`must have a host with an address, and ${host} has none`);
    return addresses;
  }

  private assertAddresses(origin: Origin, found: readonly Pick<LookupAddress, 'address'>[]): void {
    const addresses = found.map(({ address }) => address);
    if (this.options.allowLoopback && addresses.every(isLoopbackAddress)) return;
    if (!addresses.every(isPublicAddress)) throw new RefusedEndpointError(describeNotPublic(getHost(origin)));
    this.assertSchemeAndPort(origin);
  }

  private assertSchemeAndPort({ protocol, port }: Origin): void {
    if (protocol !== 'https:') throw new RefusedEndpointError(NOT_HTTPS);
    if (port !== '' && !this.ports.includes(Number(port))) {
      throw new RefusedEndpointError(`must use port ${this.ports.join(' or ')}, not ${port}`);
    }
  }
}

/**
 * Whether an address, in any spelling that `net.isIP` knows, belongs to a host of the public internet. IPv6 addresses that contain an IPv4
 * address do not, whichever they contain, and neither does an address with a zone.
 */
export function isPublicAddress(address: string): boolean {
  if (findRange(address) !== 'unicast' || address === AZURE_PLATFORM) return false;
  return isIP(address) === 4 || ipaddr.IPv6.parse(address).match(GLOBAL_UNICAST_IPV6);
}

/** Whether an address is one of 127.0.0.0/8 or `::1`. An IPv6 address that contains one of IPv4 is not. */
export function isLoopbackAddress(address: string): boolean {
  return findRange(address) === 'loopback';
}

/** Whether a URL names this machine by its host, without looking it up. */
export function namesThisMachine(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const host = getHost(new URL(url));
  return LOCAL_NAME.test(host) || isLoopbackAddress(host);
}

/** The library would accept more spellings than sockets do, such as `8.8`. A zone names a link of this machine. */
function findRange(address: string): string | undefined {
  return isIP(address) === 0 || address.includes('%') ? undefined : ipaddr.parse(address).range();
}

function parseUrl(url: string): URL {
  if (SILENTLY_CHANGED.test(url)) throw new RefusedEndpointError('must not contain white space, control characters or backslashes');
  if (url.includes('#')) throw new RefusedEndpointError('must not have a fragment, that is, no #');
  const scheme = SCHEME.exec(url)?.[1]?.toLowerCase();
  if (!scheme) throw new RefusedEndpointError('must be an absolute https address, such as https://example.com/hooks');
  if (!['http', 'https'].includes(scheme)) throw new RefusedEndpointError(NOT_HTTPS);
  if (WITH_CREDENTIALS.test(url)) throw new RefusedEndpointError('must not contain a user name or a password');
  if (!WITH_HOST.test(url) || !URL.canParse(url)) {
    throw new RefusedEndpointError('must be a valid address with a host, such as https://example.com/hooks');
  }
  return new URL(url);
}

/** The name or address without the brackets of IPv6. */
function getHost({ hostname }: Origin): string {
  return hostname.replace(/^\[|\]$/g, '');
}

/** The addresses of a name are not told: it may be one of this network's own. */
function describeNotPublic(host: string): string {
  return isIP(host) ? `must lead to a public address, and ${host} is none` : `must lead to public addresses only, and ${host} does not`;
}

/**
 * Asks the system's name servers for the addresses of a name, for 2 seconds at most. Unlike `lookup` of `node:dns` it takes none of the
 * process's few threads, so a name with silent servers delays nobody else. It reads no `/etc/hosts` and appends no search domains.
 */
export const askNameServers: Resolve = async (name) => {
  // One for each lookup, since `cancel` ends all queries of a resolver.
  const resolver = new Resolver({ timeout: FIRST_QUERY_MILLISECONDS, tries: QUERIES_PER_SERVER });
  const timer = setTimeout(() => resolver.cancel(), LOOKUP_MILLISECONDS);
  try {
    const [ipv4, ipv6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = [
      ...(ipv4.status === 'fulfilled' ? ipv4.value.map((address) => ({ address, family: 4 })) : []),
      ...(ipv6.status === 'fulfilled' ? ipv6.value.map((address) => ({ address, family: 6 })) : []),
    ];
    if (addresses.length > 0) return addresses;
    const errors = [ipv4, ipv6].flatMap((one) => (one.status === 'rejected' ? [one.reason as Error] : []));
    throw errors.find((error) => !isWithoutAddress(error)) ?? Object.assign(new Error(), { code: 'ENOTFOUND' });
  } finally {
    clearTimeout(timer);
  }
};

function isWithoutAddress(error: unknown): boolean {
  return WITHOUT_ADDRESS.includes((error as NodeJS.ErrnoException).code ?? '');
}
