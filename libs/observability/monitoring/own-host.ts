import { isIP } from 'node:net';

/** `Host` of RFC 9110 section 7.2: an address in brackets or a name, and a port perhaps. */
const HOST = /^(\[[^\]]*\]|[^:]+)(?::\d*)?$/;

/**
 * Whether a header `Host` names this server in a way that no web site can have lead here: by an IP address, as `localhost`, or by the name
 * that the server is bound to. Under a name of its own, which it has lead here by DNS once it is loaded, a site could read what is served.
 */
export function isOwnHost(header: string | undefined, boundTo: string): boolean {
  const [, host = ''] = HOST.exec(header ?? '') ?? [];
  const name = host.toLowerCase().replace(/\.$/, '');
  return isIP(name.replace(/^\[|\]$/g, '')) !== 0 || name === 'localhost' || name.endsWith('.localhost') || name === boundTo.toLowerCase();
}
