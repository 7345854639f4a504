import { isIP, isIPv4, isIPv6 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import type { ClientAddresses } from '#libs/api-kit';

const NOBODY = 'unknown';
const WITH_PORT = /^(?:\[([^\]]*)\]|([^:]*))(?::\d+)?$/;
const MAPPED = '::ffff:';
const MAPPED_PREFIX = [0, 0, 0, 0, 0, 0xffff];
const GROUPS = 8;
const NETWORK_GROUPS = 4;

/** The client address a request is counted under. What a proxy reports that is no address is not believed: the proxy is the client then. */
export function clientAddressOf({ ip, raw }: FastifyRequest): string {
  return clientNetwork(ip) ?? clientNetwork(withoutPort(ip)) ?? connectionAddress(raw.socket.remoteAddress);
}

/** The same for a connection on which no request could be read. */
export function connectionAddress(remoteAddress: string | undefined): string {
  return clientNetwork(remoteAddress ?? '') ?? NOBODY;
}

/** Client addresses as they are counted. */
export const CLIENT_ADDRESSES: ClientAddresses = { ofRequest: clientAddressOf, ofConnection: connectionAddress };

/** Some proxies report the port too, as in `192.0.2.7:4711` or `[2001:db8::1]:4711`. */
function withoutPort(text: string): string {
  const match = WITH_PORT.exec(text);
  const address = match?.[1] ?? match?.[2] ?? '';
  return isIP(address) === 0 ? '' : address;
}

/**
 * What a client address counts as: an IPv4 address as itself, an IPv4-mapped one as the IPv4 address (RFC 4291 section
 * 2.5.5.2), any other IPv6 address as its /64, which is one network at one customer (RFC 6177). Undefined for no address.
 */
export function clientNetwork(address: string): string | undefined {
  if (isIPv4(address)) return address;
  const plain = address.startsWith(MAPPED) ? address.slice(MAPPED.length) : '';
  if (isIPv4(plain)) return plain;
  return isIPv6(address) ? ipv6Network(address) : undefined;
}

function ipv6Network(address: string): string {
  const groups = groupsOf(address);
  if (MAPPED_PREFIX.every((group, index) => groups[index] === group)) return ipv4Text(groups.slice(MAPPED_PREFIX.length));
  const network = groups.slice(0, NETWORK_GROUPS).map((group) => group.toString(16));
  return `${network.join(':')}::/64`;
}

/** The eight groups of a valid IPv6 address, without its zone. */
function groupsOf(address: string): number[] {
  const [head = '', tail = ''] = address.replace(/%.*$/, '').split('::');
  const [first, last] = [groupsOfPart(head), groupsOfPart(tail)];
  return [...first, ...Array<number>(GROUPS - first.length - last.length).fill(0), ...last];
}

/** An IPv4 address may stand for the last two groups. */
function groupsOfPart(part: string): number[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}

function ipv4Text(groups: readonly number[]): string {
  return groups.flatMap((group) => [group >> 8, group & 0xff]).join('.');
}
