import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { clientNetwork } from './client-network.js';

const NOBODY = 'unknown';
const WITH_PORT = /^(?:\[([^\]]*)\]|([^:]*))(?::\d+)?$/;

/** The client address a request is counted under. What a proxy reports that is no address is not believed: the proxy is the client then. */
export function clientAddressOf({ ip, raw }: FastifyRequest): string {
  return clientNetwork(ip) ?? clientNetwork(withoutPort(ip)) ?? connectionAddress(raw.socket.remoteAddress);
}

/** The same for a connection on which no request could be read. */
export function connectionAddress(remoteAddress: string | undefined): string {
  return clientNetwork(remoteAddress ?? '') ?? NOBODY;
}

/** Some proxies report the port too, as in `192.0.2.7:4711` or `[2001:db8::1]:4711`. */
function withoutPort(text: string): string {
  const match = WITH_PORT.exec(text);
  const address = match?.[1] ?? match?.[2] ?? '';
  return isIP(address) === 0 ? '' : address;
}
