import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { connect as connectPlain, isIP, type LookupFunction, type Socket } from 'node:net';
import { addAbortSignal } from 'node:stream';
import { connect as connectSecure } from 'node:tls';
import type { EndpointRules } from './endpoint-rules.js';
import type { Endpoint } from './endpoint.js';

/**
 * Milliseconds until the next address of a name is tried. With Node's own 250 a host that is far away counts as lost, and what is tried
 * last may be an address that this machine has no way to.
 */
const PATIENCE_WITH_ADDRESS_MILLISECONDS = 1_000;

/**
 * A connection to an endpoint, with TLS done and the certificate verified where it is `https`. It leads to one of the addresses that the
 * endpoint has at this moment, after all of them were checked: what its name led to at an earlier check counts for nothing.
 * @param signal ends the connecting and the connection.
 * @throws RefusedEndpointError, or the error of the socket.
 */
export async function openSocket(endpoint: Endpoint, rules: EndpointRules, signal: AbortSignal): Promise<Socket> {
  return connectTo(await rules.addressesOf(endpoint), endpoint, rules, signal);
}

/** `openSocket` with addresses that were looked up. The one that was connected to is checked before anything is sent over it. */
export async function connectTo(
  addresses: readonly LookupAddress[],
  endpoint: Endpoint,
  rules: EndpointRules,
  signal: AbortSignal,
): Promise<Socket> {
  signal.throwIfAborted();
  const socket = addAbortSignal(signal, connecting(endpoint, handingOut(addresses)));
  // Whoever awaits below hears of errors; one between two of these must not end the process.
  socket.on('error', () => undefined);
  try {
    await once(socket, 'connect');
    rules.checkAddresses(endpoint, [socket.remoteAddress ?? '']);
    if (endpoint.isSecure) await once(socket, 'secureConnect');
    return socket;
  } catch (error) {
    socket.destroy();
    throw error;
  }
}

function connecting({ host, port, isSecure }: Endpoint, lookup: LookupFunction): Socket {
  const target = {
    host,
    port,
    lookup,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: PATIENCE_WITH_ADDRESS_MILLISECONDS,
    noDelay: true,
  };
  if (!isSecure) return connectPlain(target);
  // Said explicitly, since the environment could turn it off for the whole process.
  return connectSecure({ ...target, servername: serverName(host), ALPNProtocols: ['http/1.1'], rejectUnauthorized: true });
}

/** The name for the certificate: an address is compared as one, and the dot that ends a name is no part of it in TLS. */
function serverName(host: string): string {
  return isIP(host) ? '' : host.replace(/\.$/, '');
}

/** Gives a socket the addresses that were checked; the name is not looked up again. */
function handingOut(addresses: readonly LookupAddress[]): LookupFunction {
  return (_host, { all }, callback) => {
    const [first] = addresses;
    if (all) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family);
  };
}
