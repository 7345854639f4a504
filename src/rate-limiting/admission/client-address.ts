import { isIP, isIPv4 } from 'node:net';
import type { FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import type { ClientAddresses } from '#libs/http';

const WITH_PORT = /^(?:\[([^\]]*)\]|([^:]*))(?::\d+)?$/;

/** Returns the client address for which a request is counted. If a proxy reports no address, the proxy is the client. */
export function readClientAddress({ ip, raw }: FastifyRequest): string {
  return clientNetwork(ip) ?? clientNetwork(withoutPort(ip)) ?? connectionAddress(raw.socket.remoteAddress);
}

/** The same for a connection on which no request could be read. */
export function connectionAddress(remoteAddress = ''): string {
  return clientNetwork(remoteAddress) ?? 'unknown';
}

/** Client addresses as they are counted. */
export const CLIENT_ADDRESSES: ClientAddresses = { ofRequest: readClientAddress, ofConnection: connectionAddress };

/** Some proxies report the port too, as in `192.0.2.7:4711` or `[2001:db8::1]:4711`. */
function withoutPort(text: string): string {
  const match = WITH_PORT.exec(text);
  return match?.[1] ?? match?.[2] ?? '';
}

/**
 * Returns what a client address counts as: an IPv4 address as itself, an IPv4-mapped one as the IPv4 address (RFC 4291 section 2.5.5.2), any
 * other IPv6 address as its /64, which is one network of one customer (RFC 6177). Undefined for no address.
 */
export function clientNetwork(address: string): string | undefined {
  if (isIPv4(address)) return address;
  if (isIP(address) === 0) return undefined;
  const parsed = ipaddr.process(address);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const network = parsed.parts.slice(0, 4).map((part) => part.toString(16));
  return `${network.join(':')}::/64`;
}
