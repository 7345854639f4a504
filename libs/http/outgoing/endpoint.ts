import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** A URL that nothing is sent to. The message continues "url …" and may be shown to the URL's owner. */
export class RefusedEndpointError extends Error {}

/** Returns all addresses of a name; none if it has none, or if they cannot be found out now. */
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

/** Has a host, and nothing that `URL` would drop or silently turn into something else. */
const PLAIN_URL = /^https?:\/\/[^/?#@\p{Cc}\p{Cs}\p{Z}\\]+(?:[/?][^#\p{Cc}\p{Cs}\p{Z}\\]*)?$/iu;

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

  /** @throws RefusedEndpointError without an address */
  private async findAddresses(host: string): Promise<readonly LookupAddress[]> {
    const family = isIP(host);
    if (family !== 0) return [{ address: host, family }];
    if (LOCAL_NAME.test(host)) return LOCAL_ADDRESSES;
    const addresses = await this.options.resolve(host);
    if (addresses.length > 0) return addresses;
    throw new RefusedEndpointError(`has a host that cannot be resolved now (${host}): check its name, or try again later`);
  }

  private assertAddresses(origin: Origin, found: readonly Pick<LookupAddress, 'address'>[]): void {
    const addresses = found.map(({ address }) => address);
    if (this.options.allowLoopback && addresses.every(isLoopbackAddress)) return;
    if (!addresses.every(isPublicAddress)) throw new RefusedEndpointError(describeNotPublic(getHost(origin)));
    this.assertSchemeAndPort(origin);
  }

  private assertSchemeAndPort({ protocol, port }: Origin): void {
    if (protocol !== 'https:') throw new RefusedEndpointError('must begin with https://');
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

function parseUrl(text: string): URL {
  if (!PLAIN_URL.test(text) || !URL.canParse(text)) {
    throw new RefusedEndpointError(
      'must be an absolute https address without user name, fragment, white space and backslashes, such as https://example.com/hooks',
    );
  }
  const url = new URL(text);
  // The dot that ends a name is no part of it in TLS.
  url.hostname = url.hostname.replace(/\.$/, '');
  return url;
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
  const [ipv4, ipv6] = await Promise.all([resolver.resolve4(name).catch(() => []), resolver.resolve6(name).catch(() => [])]);
  clearTimeout(timer);
  return [...ipv4.map((address) => ({ address, family: 4 })), ...ipv6.map((address) => ({ address, family: 6 }))];
};
