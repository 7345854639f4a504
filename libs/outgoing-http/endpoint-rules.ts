import type { LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { NOT_HTTPS, readEndpoint, type Endpoint } from './endpoint.js';
import { lookUp, type Resolve } from './look-up.js';
import { isLoopbackAddress, isPublicAddress } from './public-address.js';
import { RefusedEndpointError } from './outgoing-http.errors.js';

export interface EndpointRulesOptions {
  /** Ports beyond 443 and 8443. */
  readonly allowedPorts: readonly number[];
  /** Lets `http` and every port through where all addresses are loopback. For development alone. */
  readonly allowLoopback: boolean;
  readonly resolve: Resolve;
}

const ALWAYS_ALLOWED_PORTS: readonly number[] = [443, 8443];
const LOCAL_NAME = /^(?:.*\.)?localhost\.*$/;
/** What names under `localhost` stand for, wherever they are looked up (RFC 6761). */
const LOCAL_ADDRESSES: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
];

/** Which endpoints may be sent to: by what their URL says, and by the addresses that it leads to. */
export class EndpointRules {
  private readonly ports: readonly number[];

  constructor(private readonly options: EndpointRulesOptions) {
    this.ports = [...ALWAYS_ALLOWED_PORTS, ...options.allowedPorts];
  }

  /** Reads a URL, and looks up nothing. @throws RefusedEndpointError where it is refused whatever its name leads to. */
  read(url: string): Endpoint {
    const endpoint = readEndpoint(url);
    const { host } = endpoint;
    if (isIP(host)) this.checkAddresses(endpoint, [host]);
    else if (!this.options.allowLoopback) {
      this.checkSchemeAndPort(endpoint);
      if (isLocalName(host)) throw new RefusedEndpointError('must not lead to localhost');
    }
    return endpoint;
  }

  /** The addresses of an endpoint at this moment, each of which may be connected to. @throws RefusedEndpointError where there are none. */
  async addressesOf(endpoint: Endpoint): Promise<readonly LookupAddress[]> {
    const addresses = await this.uncheckedAddressesOf(endpoint.host);
    const texts = addresses.map(({ address }) => address);
    this.checkAddresses(endpoint, texts);
    return addresses;
  }

  /** @throws RefusedEndpointError where one of these addresses may not be connected to for the endpoint. */
  checkAddresses(endpoint: Endpoint, addresses: readonly string[]): void {
    if (this.options.allowLoopback && addresses.every(isLoopbackAddress)) return;
    if (!addresses.every(isPublicAddress)) throw new RefusedEndpointError(notPublic(endpoint.host));
    this.checkSchemeAndPort(endpoint);
  }

  private checkSchemeAndPort({ isSecure, port }: Endpoint): void {
    if (!isSecure) throw new RefusedEndpointError(NOT_HTTPS);
    if (!this.ports.includes(port)) throw new RefusedEndpointError(`must use port ${this.ports.join(' or ')}, not ${port}`);
  }

  private async uncheckedAddressesOf(host: string): Promise<readonly LookupAddress[]> {
    const family = isIP(host);
    if (family !== 0) return [{ address: host, family }];
    if (isLocalName(host)) return LOCAL_ADDRESSES;
    return lookUp(host, this.options.resolve);
  }
}

function isLocalName(host: string): boolean {
  return LOCAL_NAME.test(host);
}

// What a name leads to is left out: it may be one of this network's own, whose addresses are nobody's business.
function notPublic(host: string): string {
  return isIP(host) ? `must lead to a public address, and ${host} is none` : `must lead to public addresses only, and ${host} does not`;
}
